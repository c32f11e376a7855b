#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline {

/// How well a path is known on a capability. A prediction, a hit and a measurement are never interchangeable.
enum class Level : std::uint8_t {
  source,    ///< the code is there; no plan of the matrix takes it
  planned,   ///< "static": the dispatch takes it for a case of the matrix; no kernel ran
  executed,  ///< it ran, was seen, and every answer was judged
  measured,  ///< and was timed on that device
};
std::string_view name_of(Level level);
/// Throws InputError that lists the names.
Level parse_level(const std::string& name);

}  // namespace plumbline
