#include "reference/model/engine_arithmetic.h"

#include "reference/model/number.h"
#include "reference/numeric/transcendental.h"
#include "reference/numeric/ulp.h"

#include <bit>
#include <cmath>
#include <vector>

namespace plumbline {
namespace {

/// Half the smallest float32 subnormal: what one underflowing product may lose.
constexpr double kUnderflow = 0x1p-150;
constexpr double kFloat32Roundoff = 0x1p-24;
/// Our own elementary functions are at most 1 ULP off in double.
constexpr double kOwnFunction = 0x1p-52;
constexpr double kSoftplusThreshold = 20;
/// e^88 is the last whole power that float32 holds.
constexpr double kExponentialOverflow = 88;

template <typename Number>
Number plain_sum(std::span<const Number> terms) {
  Number sum{};
  for (const Number& term : terms) sum = sum + term;
  return sum;
}

/// |sin'| and |cos'| are at most 1.
template <typename Number>
Number of_angle(double value, Number angle) {
  return within<Number>(value, std::abs(value) * kOwnFunction + error_of(angle));
}

double sigmoid_of(double x) {
  const double e = exp_of(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/// log(1 + y) for y >= 0, a few ULP off: the rounding of 1 + y is undone by the quotient (Kahan; Higham 2002,
/// §1.14.1).
double log_of_one_plus(double y) {
  const double sum = 1 + y;
  return sum == 1 ? y : log_of(sum) * (y / (sum - 1));
}

}  // namespace

template <typename Number>
Number BasicEngineArithmetic<Number>::sum(std::span<const Number> terms) const {
  return profile_->float32_arithmetic ? float32_sum_any_order(terms) : plain_sum(terms);
}

template <typename Number>
Number BasicEngineArithmetic<Number>::mean(std::span<const Number> terms) const {
  return divided(sum(terms), terms.size());
}

template <typename Number>
Number BasicEngineArithmetic<Number>::mean_square(std::span<const Number> terms) const {
  return divided(sum_of_squares(terms), terms.size());
}

template <typename Number>
Number BasicEngineArithmetic<Number>::sum_of_squares(std::span<const Number> terms) const {
  return dot(terms, terms);
}

template <typename Number>
Number BasicEngineArithmetic<Number>::dot(std::span<const Number> a, std::span<const Number> b) const {
  Number sum{};
  double magnitude = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Number product = a[i] * b[i];
    sum = sum + product;
    magnitude += largest_magnitude(product);
  }
  return reduced(sum, magnitude, static_cast<std::int64_t>(a.size()));
}

template <typename Number>
Number BasicEngineArithmetic<Number>::reduced(Number sum, double magnitude, std::int64_t terms) const {
  if (!profile_->float32_arithmetic) return sum;
  // Each product may be rounded, or fused into the addition: n roundings on every term's way through the sum.
  const auto count = static_cast<double>(terms);
  const Number all = exactly<Number>(magnitude * (1 + count * 0x1p-52));
  return widened(sum, error_of(widened_by_roundings(all, static_cast<int>(terms))) + count * kUnderflow);
}

template <typename Number>
Number BasicEngineArithmetic<Number>::reciprocal_root(Number a) const {
  if (profile_->reciprocal_root_ulp) {
    return from_library(reciprocal(square_root(a)), *profile_->reciprocal_root_ulp);
  }
  return step(reciprocal(step(square_root(a))));
}

template <typename Number>
Number BasicEngineArithmetic<Number>::quotient(Number a, Number b) const {
  return step(a * reciprocal(b));
}

template <typename Number>
Number BasicEngineArithmetic<Number>::cosine(Number angle) const {
  return from_library(of_angle(cosine_of(value_of(angle)), angle), profile_->trigonometry_ulp);
}

template <typename Number>
Number BasicEngineArithmetic<Number>::sine(Number angle) const {
  return from_library(of_angle(sine_of(value_of(angle)), angle), profile_->trigonometry_ulp);
}

template <typename Number>
Number BasicEngineArithmetic<Number>::exponential(Number x) const {
  const double value = exp_of(value_of(x));
  const double spread = error_of(x) == 0 ? 0 : value * (exp_of(error_of(x)) - 1) * (1 + 0x1p-40);
  return from_library(within<Number>(value, spread + value * kOwnFunction), profile_->exponential_ulp);
}

template <typename Number>
double BasicEngineArithmetic<Number>::exponential_error() const {
  return profile_->float32_arithmetic ? profile_->exponential_ulp * 2 * kFloat32Roundoff : 0;
}

template <typename Number>
double BasicEngineArithmetic<Number>::vanished(Number x, double result) const {
  if (!profile_->float32_arithmetic) return 0;
  return 2 * kUnderflow + (value_of(x) - error_of(x) < -kExponentialOverflow ? result : 0);
}

template <typename Number>
Number BasicEngineArithmetic<Number>::sigmoid(Number x) const {
  const double s = sigmoid_of(value_of(x));
  // |s''| stays below 0.1, so the slope over the interval exceeds that at its middle by at most 0.1·e.
  const double slope = s * (1 - s) + 0.1 * error_of(x);
  // The exponential's error reaches s damped by 1 − s; sum and quotient round once each.
  const double roundings = profile_->float32_arithmetic ? 2 * kFloat32Roundoff * (1 + kFloat32Roundoff) : 0;
  const double own = s * ((1 - s) * exponential_error() + roundings + 4 * kOwnFunction) + vanished(x, s);
  return within<Number>(s, slope * error_of(x) + own);
}

template <typename Number>
Number BasicEngineArithmetic<Number>::silu(Number x) const {
  const double v = value_of(x), s = sigmoid_of(v), result = v * s;
  // |(x·s)''| stays below 0.5.
  const double slope = std::abs(s + v * s * (1 - s)) + 0.5 * error_of(x);
  const double roundings =
      profile_->float32_arithmetic ? 3 * kFloat32Roundoff * (1 + 2 * kFloat32Roundoff) : 0;
  const double own = std::abs(result) * ((1 - s) * exponential_error() + roundings + 5 * kOwnFunction) +
                     vanished(x, std::abs(result));
  return within<Number>(result, slope * error_of(x) + own);
}

template <typename Number>
Number BasicEngineArithmetic<Number>::softplus(Number x) const {
  const double v = value_of(x);
  if (v - error_of(x) > kSoftplusThreshold) return x;
  const double s = sigmoid_of(v), exponential = exp_of(v);
  const double result = v > kSoftplusThreshold ? v : log_of_one_plus(exponential);
  const double slope = s + 0.25 * error_of(x);
  // Where the interval straddles the threshold the two branches differ by e^-20.
  const double straddle = v + error_of(x) > kSoftplusThreshold ? 0x1p-28 : 0;
  const double library = profile_->float32_arithmetic ? profile_->logarithm_ulp * 2 * kFloat32Roundoff : 0;
  // Two units of a subnormal exponential, and of the logarithm.
  const double underflow = profile_->float32_arithmetic ? 8 * kUnderflow : 0;
  const double own = s * exponential_error() + result * (library + 8 * kOwnFunction) + underflow;
  return within<Number>(result, slope * error_of(x) + straddle + own);
}

template <typename Number>
Number BasicEngineArithmetic<Number>::divided(Number sum, std::size_t count) const {
  const Number share = sum * exactly<Number>(1 / static_cast<double>(count));
  if (std::has_single_bit(count)) return step(share);
  const Number ours = widened(share, std::abs(value_of(share)) * 0x1p-52);  // 1/n is rounded
  return profile_->float32_arithmetic ? widened_by_roundings(ours, 2) : ours;
}

template <typename Number>
Number BasicEngineArithmetic<Number>::from_library(Number exact, double ulp) const {
  if (!profile_->float32_arithmetic) return exact;
  return widened(exact, ulp * ulp_of(DType::float32, largest_magnitude(exact)));
}

template class BasicEngineArithmetic<Bounded>;
template class BasicEngineArithmetic<double>;

}  // namespace plumbline
