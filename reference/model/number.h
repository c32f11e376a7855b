#pragma once

#include "fixtures/small_float.h"
#include "reference/model/bounded.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace plumbline {

// Layer code is written once for a Number: Bounded, which carries how far an engine may be from our value, or
// plain double, which gives the same values faster. These are the Bounded operations on plain doubles.

/// round_to(), faster for normal bfloat16 numbers: half a unit (or one bit less, before an even one) carries
/// into the seven bits that stay.
inline double rounded(DType type, double a) {
  if (type == DType::float32) return static_cast<double>(static_cast<float>(a));
  if (type == DType::bfloat16) {
    constexpr int dropped = 52 - 7;
    const auto bits = std::bit_cast<std::uint64_t>(a);
    const auto exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
    if (exponent >= -126 && exponent < 127) {
      const std::uint64_t half = (1ull << (dropped - 1)) - 1 + (bits >> dropped & 1);
      return std::bit_cast<double>((bits + half) >> dropped << dropped);
    }
  }
  return round_to(type, a);
}
inline double square_root(double a) { return std::sqrt(a); }
inline double reciprocal(double a) { return 1 / a; }
inline double widened(double a, double) { return a; }
inline double widened_by_roundings(double a, int) { return a; }
inline double largest_magnitude(double a) { return std::abs(a); }
inline double float32_sum_any_order(std::span<const double> terms) {
  double sum = 0;
  for (const double term : terms) sum += term;
  return sum;
}

inline double value_of(double a) { return a; }
inline double value_of(Bounded a) { return a.value; }
inline double error_of(double) { return 0; }
inline double error_of(Bounded a) { return a.error; }

/// A number known exactly.
template <typename Number>
Number exactly(double value) {
  Number number{};
  if constexpr (requires { number.value; }) {
    number.value = value;
  } else {
    number = value;
  }
  return number;
}

/// `value` with an error bound, where the Number carries one.
template <typename Number>
Number within(double value, double error) {
  return widened(exactly<Number>(value), error);
}

}  // namespace plumbline
