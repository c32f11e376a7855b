#pragma once

#include <cmath>

namespace plumbline {

/// high + low, with |low| at most half an ULP of high: about 106 bits.
struct DoubleDouble {
  double high = 0;
  double low = 0;
};

/// a + b exactly (Knuth).
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// a + b exactly for |a| >= |b| or a = 0 (Dekker).
inline DoubleDouble quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a · b exactly.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

inline DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.high, b.high), low = two_sum(a.low, b.low);
  const DoubleDouble carried = quick_two_sum(high.high, high.low + low.high);
  return quick_two_sum(carried.high, carried.low + low.low);
}

inline DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_product(a.high, b.high);
  return quick_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const DoubleDouble covered = multiply({quotient, 0}, b);
  const DoubleDouble rest = add(a, {-covered.high, -covered.low});
  return quick_two_sum(quotient, rest.high / b.high);
}

}  // namespace plumbline
