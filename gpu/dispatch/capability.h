#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace plumbline::dispatch {

/// CUDA compute capability. Numbers such as 75 mean 7.5, as in the engines' predicates.
struct Capability {
  int major = 0;
  int minor = 0;

  int number() const { return major * 10 + minor; }
  /// Equality with 7.0 for `number_` 70: what engines write as is_device_capability(70).
  bool is_exactly(int number_) const { return number() == number_; }
  /// Same major version: is_device_capability_family(70) holds on 7.0, 7.2 and 7.5.
  bool in_family(int number_) const { return major == number_ / 10; }
  bool at_least(int number_) const { return number() >= number_; }

  auto operator<=>(const Capability&) const = default;
};

/// "7.5". Throws std::invalid_argument for anything but MAJOR.MINOR with a one-digit minor.
Capability parse_capability(std::string_view text);
std::string to_string(Capability capability);

}  // namespace plumbline::dispatch
