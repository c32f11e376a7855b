#include "reference/summation/split_number.h"

#include "fixtures/small_float.h"
#include "reference/numeric/transcendental.h"
#include "reference/numeric/ulp.h"
#include "reference/numeric/wide_sum.h"

#include <algorithm>
#include <limits>

namespace plumbline {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double largest_finite(DType type) {
  switch (type) {
    case DType::float16:
      return 65504;
    case DType::bfloat16:
      return 0x1.FEp127;
    default:
      return 0x1.FFFFFEp127;
  }
}

/// What the double functions of transcendental.h may lose: one unit in the last place, and the rounding of
/// this file's own products.
constexpr double kOwnFunction = 0x1p-51;

/// The number after one rounding to `type`. A number that is known and is one of the type's stays what it is.
Bounded rounded_once(DType type, Bounded a) {
  if (a.error == 0 && round_to(type, a.value) == a.value) return a;
  return widened(a, rounding_error(type, largest_magnitude(a)));
}

Likely rounded_once(DType type, Likely a) {
  if (a.variance == 0 && round_to(type, a.value) == a.value) return a;
  const double half = rounding_error(type, std::abs(a.value));
  return {a.value, a.variance + half * half};
}

double squared(double a) { return a * a; }

}  // namespace

double rounding_error(DType type, double magnitude) {
  if (!(magnitude <= largest_finite(type))) return kInfinity;
  return ulp_of(type, magnitude) / 2;
}

float rounded_exponential(float a) { return static_cast<float>(exp_of(a)); }
float rounded_logarithm(float a) { return static_cast<float>(log_of(a)); }

float fused_sum(std::span<const float> terms) {
  WideSum sum;
  for (const float term : terms) sum.add_product(term, 1);
  return sum.value().to_float();
}

float stored(DType type, float a) {
  return type == DType::float32 ? a : 0.0f + static_cast<float>(round_to(type, a));
}

Bounded rounded_sum(Bounded a, Bounded b) { return rounded_once(DType::float32, a + b); }
Bounded rounded_difference(Bounded a, Bounded b) { return rounded_once(DType::float32, a - b); }
Bounded rounded_product(Bounded a, Bounded b) { return rounded_once(DType::float32, a * b); }
Bounded rounded_quotient(Bounded a, Bounded b) {
  const double quotient = a.value / b.value;
  const double nearest = std::abs(b.value) - b.error;
  if (!(nearest > 0)) return {quotient, kInfinity, 0};
  const double spread = (a.error + std::abs(quotient) * b.error) / nearest;
  return rounded_once(DType::float32, widened({quotient, spread, 0}, std::abs(quotient) * 0x1p-51));
}

Bounded rounded_exponential(Bounded a) {
  const double e = exp_of(a.value);
  if (a.error == 0 && a.value == 0) return {1, 0, 0};
  // e^ε − 1 <= ε + ε² for ε <= 1.
  const double spread = a.error <= 1 ? e * (a.error + squared(a.error)) : kInfinity;
  return rounded_once(DType::float32, widened({e, spread, 0}, e * kOwnFunction + 0x1p-1000));
}

Bounded rounded_logarithm(Bounded a) {
  const double l = log_of(a.value), relative = a.error / a.value;
  if (a.error == 0 && a.value == 1) return {0, 0, 0};
  // −log(1 − ε) <= ε / (1 − ε).
  const double spread = relative < 1 ? relative / (1 - relative) : kInfinity;
  return rounded_once(DType::float32, widened({l, spread, 0}, (std::abs(l) + relative) * kOwnFunction));
}

Bounded fused_sum(std::span<const Bounded> terms) {
  Bounded sum;
  for (const Bounded& term : terms) sum = sum + term;
  return rounded_once(DType::float32, sum);
}

Bounded stored(DType type, Bounded a) { return type == DType::float32 ? a : rounded_once(type, a); }

// max is 1-Lipschitz in each argument, and so is max(0, ·).
Bounded larger(Bounded a, Bounded b) {
  return {std::max(a.value, b.value), std::max(a.error, b.error), std::max(a.partial, b.partial)};
}
Bounded rectified(Bounded a) {
  if (a.value + a.error <= 0) return {};
  return {std::max(0.0, a.value), a.error, a.partial};
}

Likely rounded_sum(Likely a, Likely b) {
  return rounded_once(DType::float32, Likely{a.value + b.value, a.variance + b.variance});
}
Likely rounded_difference(Likely a, Likely b) {
  return rounded_once(DType::float32, Likely{a.value - b.value, a.variance + b.variance});
}
Likely rounded_product(Likely a, Likely b) {
  return rounded_once(DType::float32, Likely{a.value * b.value,
                                             squared(b.value) * a.variance + squared(a.value) * b.variance});
}
Likely rounded_quotient(Likely a, Likely b) {
  const double quotient = a.value / b.value;
  return rounded_once(DType::float32,
                      Likely{quotient, (a.variance + squared(quotient) * b.variance) / squared(b.value)});
}
Likely rounded_exponential(Likely a) {
  const double e = exp_of(a.value);
  return rounded_once(DType::float32, Likely{e, squared(e) * a.variance});
}
Likely rounded_logarithm(Likely a) {
  return rounded_once(DType::float32, Likely{log_of(a.value), a.variance / squared(a.value)});
}
Likely fused_sum(std::span<const Likely> terms) {
  Likely sum;
  for (const Likely& term : terms) sum = {sum.value + term.value, sum.variance + term.variance};
  return rounded_once(DType::float32, sum);
}
Likely stored(DType type, Likely a) { return type == DType::float32 ? a : rounded_once(type, a); }
Likely larger(Likely a, Likely b) { return a.value < b.value ? b : a; }
// A value next to 0 may come out on either side of it.
Likely rectified(Likely a) { return {std::max(0.0, a.value), a.variance}; }

}  // namespace plumbline
