#pragma once

#include <bit>
#include <cstdint>

namespace plumbline {

/// Order of float32 scores in a selection (ROUTES.md §3.3): larger key = better. -0 becomes +0; NaN is ranked
/// by its bits: -NaN < -inf < … < ±0 < … < +inf < +NaN.
constexpr std::uint32_t score_key(float score) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(score);
  if ((bits & 0x7FFFFFFFu) == 0) bits = 0;
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

}  // namespace plumbline
