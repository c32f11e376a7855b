#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "fixtures/tensor.h"

namespace plumbline {

/// An exact sum of products of float32, fp16, bf16 or fp8 numbers: a 576-bit two's complement fixed-point
/// integer in units of 2^-298 (the product of two smallest float32 subnormals). Magnitudes stay below 2^277,
/// enough for 2^21 products of the largest float32. Overflow cannot occur within that limit.
class ExactScore {
 public:
  static constexpr int kLimbs = 9;
  static constexpr int kUnitExponent = -298;

  constexpr ExactScore() = default;  ///< zero
  /// significand · 2^exponent, exponent >= -298. Exact.
  static ExactScore from_scaled(__int128 significand, int exponent);
  static ExactScore from_double(double value);  ///< value must be a multiple of 2^-298 below 2^277

  /// Adds a · b exactly; both must be finite values of the types above.
  void add_product(double a, double b);
  ExactScore& operator+=(const ExactScore& other);
  ExactScore operator-() const;
  ExactScore operator-(const ExactScore& other) const;
  bool negative() const { return (limbs_[kLimbs - 1] >> 63) != 0; }
  bool is_zero() const;
  ExactScore abs() const { return negative() ? -*this : *this; }

  std::strong_ordering operator<=>(const ExactScore& other) const;
  bool operator==(const ExactScore& other) const = default;

  double to_double() const;  ///< rounded to nearest, ties to even, once
  float to_float() const;    ///< rounded to nearest, ties to even, once; infinity above float32's range
  /// Exact hexadecimal form "0x1.8p-3"-like for witnesses.
  std::string to_string() const;

 private:
  std::array<std::uint64_t, kLimbs> limbs_{};  // least significant first
};

}  // namespace plumbline
