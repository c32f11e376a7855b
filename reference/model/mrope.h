#pragma once

#include <array>
#include <cstdint>

namespace plumbline {

/// Where a token stands: all three are its index for text; images spread over height and width.
struct Coordinates {
  std::int64_t temporal = 0, height = 0, width = 0;
  bool operator==(const Coordinates&) const = default;

  static Coordinates text(std::int64_t position) { return {position, position, position}; }
};

/// Pairs per axis (temporal, height, width).
using MropeSections = std::array<std::int64_t, 3>;

/// The coordinate that turns a rotary pair under interleaved M-RoPE (MODEL.md §1): height where pair ≡ 1 (mod
/// 3) and pair < 3·section[1], width where pair ≡ 2 (mod 3) and pair < 3·section[2], else temporal.
std::int64_t coordinate_of_pair(const Coordinates& coordinates, std::int64_t pair,
                                const MropeSections& sections);

}  // namespace plumbline
