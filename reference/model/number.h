#pragma once

#include "fixtures/small_float.h"
#include "reference/model/bounded.h"

#include <cmath>
#include <span>

namespace plumbline {

// Layer code is written once for a Number: Bounded, which carries how far an engine may be from our value, or
// plain double, which gives the same values faster. These are the Bounded operations on plain doubles.

inline double rounded(DType type, double a) {
  return type == DType::float32 ? static_cast<double>(static_cast<float>(a)) : round_to(type, a);
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
