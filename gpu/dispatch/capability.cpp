#include "gpu/dispatch/capability.h"

#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace plumbline::dispatch {

Capability parse_capability(std::string_view text) {
  Capability capability;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, capability.major);
  const bool dot = major.ec == std::errc() && major.ptr != end && *major.ptr == '.';
  const bool one_digit = dot && end - major.ptr == 2 && major.ptr[1] >= '0' && major.ptr[1] <= '9';
  if (!one_digit || capability.major < 1 || capability.major > 99) {
    throw std::invalid_argument(fmt::format("capability '{}': expected MAJOR.MINOR such as 7.5", text));
  }
  capability.minor = major.ptr[1] - '0';
  return capability;
}

std::string to_string(Capability capability) {
  return fmt::format("{}.{}", capability.major, capability.minor);
}

}  // namespace plumbline::dispatch
