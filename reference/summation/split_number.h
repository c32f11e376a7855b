#pragma once

#include "fixtures/dtype.h"
#include "reference/model/bounded.h"

#include <cmath>
#include <span>

namespace plumbline {

// A split reduction is written once, for three kinds of number. `float` gives its bits. Bounded gives the
// exact value and how far the bits may lie from it: after every operation by half a unit in the last place of
// the largest result it can have. Likely gives the companion of that bound for roundings that know nothing of
// one another.

/// `value` as exact as double arithmetic makes it; `variance` is Σ(half units in the last place)² of the
/// roundings before it, each carried on to first order. Roundings that are independent and zero on average
/// move a result by more than 6·√variance in less than one case of 3·10^7 (Hoeffding 1963: 2·e^(−6²/2)); it
/// grows like √n where the bound grows like n (Higham and Mary, SIAM J. Sci. Comput. 41, 2019).
struct Likely {
  double value = 0;
  double variance = 0;
};
inline double likely_bound(const Likely& number) { return 6 * std::sqrt(number.variance); }

/// Half a unit in the last place of `type` at `magnitude`; infinity where rounding may overflow.
double rounding_error(DType type, double magnitude);

template <typename Number>
Number given(float value);
template <>
inline float given(float value) {
  return value;
}
template <>
inline Bounded given(float value) {
  return {value, 0, 0};
}
template <>
inline Likely given(float value) {
  return {value, 0};
}

/// A term added to an accumulator that holds +0: -0 becomes +0.
inline float accumulator_with(float term) { return 0.0f + term; }
inline const Bounded& accumulator_with(const Bounded& term) { return term; }
inline const Likely& accumulator_with(const Likely& term) { return term; }

inline double midpoint(float a) { return a; }
inline double midpoint(const Bounded& a) { return a.value; }
inline double midpoint(const Likely& a) { return a.value; }

inline float rounded_sum(float a, float b) { return a + b; }
inline float rounded_difference(float a, float b) { return a - b; }
inline float rounded_product(float a, float b) { return a * b; }
inline float rounded_quotient(float a, float b) { return a / b; }
/// e^a and log a: the double of reference/numeric/transcendental.h, rounded to float32.
float rounded_exponential(float a);
float rounded_logarithm(float a);
/// All at once: the exact sum, rounded once.
float fused_sum(std::span<const float> terms);
/// A partial as it is stored between two kernels or ranks; -0 becomes +0.
float stored(DType type, float a);
inline float larger(float a, float b) { return a < b ? b : a; }
inline float rectified(float a) { return a > 0 ? a : 0.0f; }

Bounded rounded_sum(Bounded a, Bounded b);
Bounded rounded_difference(Bounded a, Bounded b);
Bounded rounded_product(Bounded a, Bounded b);
Bounded rounded_quotient(Bounded a, Bounded b);
Bounded rounded_exponential(Bounded a);
Bounded rounded_logarithm(Bounded a);
Bounded fused_sum(std::span<const Bounded> terms);
Bounded stored(DType type, Bounded a);
Bounded larger(Bounded a, Bounded b);
Bounded rectified(Bounded a);

Likely rounded_sum(Likely a, Likely b);
Likely rounded_difference(Likely a, Likely b);
Likely rounded_product(Likely a, Likely b);
Likely rounded_quotient(Likely a, Likely b);
Likely rounded_exponential(Likely a);
Likely rounded_logarithm(Likely a);
Likely fused_sum(std::span<const Likely> terms);
Likely stored(DType type, Likely a);
Likely larger(Likely a, Likely b);
Likely rectified(Likely a);

}  // namespace plumbline
