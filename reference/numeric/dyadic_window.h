#pragma once

#include <span>

namespace plumbline {

/// Where the bits of a set of finite numbers lie: each is a multiple of 2^unit and below 2^top in magnitude.
/// A set without a nonzero number has unit = top = 0.
struct DyadicWindow {
  int unit = 0;
  int top = 0;
  int width() const { return top - unit; }
};

/// The tightest window. Throws std::invalid_argument when a value is not finite.
DyadicWindow window_of(std::span<const float> values);

}  // namespace plumbline
