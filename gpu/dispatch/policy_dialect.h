#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plumbline::dispatch {

/// How the text of an environment variable becomes a value (ROUTES.md §2.1).
enum class Dialect : std::uint8_t {
  exact_one,        ///< "1" is true, any other text is false, so "" and "true" are false; never malformed
  integer,          ///< Python's int(): blanks around, sign, single underscores between digits
  bool_of_integer,  ///< Python's bool(int())
  word_split,       ///< the word "split" is true, any other text is false; never malformed
};

/// The value (booleans as 0 and 1), or nothing where the text is malformed in that dialect. An integer beyond
/// 64 bits is malformed too.
std::optional<std::int64_t> parse_dialect(Dialect dialect, std::string_view text);
bool is_boolean(Dialect dialect);

}  // namespace plumbline::dispatch
