#include "oracle/evidence/level.h"

#include "fixtures/error.h"

#include <fmt/format.h>

namespace plumbline {

std::string_view name_of(Level level) {
  switch (level) {
    case Level::source:
      return "source";
    case Level::planned:
      return "static";
    case Level::executed:
      return "executed";
    case Level::measured:
      return "measured";
  }
  return "?";
}

Level parse_level(const std::string& name) {
  for (const Level level : {Level::source, Level::planned, Level::executed, Level::measured})
    if (name == name_of(level)) return level;
  throw InputError(fmt::format("expected source, static, executed or measured, found '{}'", name));
}

}  // namespace plumbline
