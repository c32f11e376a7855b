#pragma once

#include "reference/numeric/exact_score.h"

#include <array>
#include <bit>
#include <cstdint>

namespace plumbline {

/// An exact running sum of products for long loops: the same fixed-point number as ExactScore, kept in 32-bit
/// digits that are 64 bits wide, so that adding touches three digits and never carries (a "small
/// superaccumulator", Neal 2015, arXiv 1505.05571). Holds up to 2^30 products.
class WideSum {
 public:
  /// Adds a · b exactly; both must be finite float32 values (or narrower).
  void add_product(double a, double b) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(a * b);
    const int field = static_cast<int>(bits >> 52 & 0x7FF);
    if (field == 0) return;  // zero: the smallest product is 2^-298
    // The exponent is raised by 64 so that significands whose low bits reach below the unit (and are zero
    // there) need no branch; the two lowest digits stay zero.
    const int shift = field - 1075 - ExactScore::kUnitExponent + kGuardBits;
    const unsigned __int128 wide = static_cast<unsigned __int128>((bits & ((1ull << 52) - 1)) | 1ull << 52)
                                   << (shift & 31);
    const std::int64_t sign = bits >> 63 != 0 ? -1 : 1;
    std::int64_t* digit = digits_.data() + (shift >> 5);
    digit[0] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(wide));
    digit[1] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(wide >> 32));
    digit[2] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(wide >> 64));
  }

  ExactScore value() const {
    ExactScore sum;
    for (int i = kGuardBits / 32; i < kDigits; ++i) {
      if (digits_[i] != 0) {
        sum += ExactScore::from_scaled(digits_[i], 32 * i - kGuardBits + ExactScore::kUnitExponent);
      }
    }
    return sum;
  }

 private:
  static constexpr int kGuardBits = 64;
  static constexpr int kDigits = (kGuardBits + 256 - ExactScore::kUnitExponent) / 32 + 3;
  std::array<std::int64_t, kDigits> digits_{};  // least significant first
};

}  // namespace plumbline
