#include "reference/model/engine_arithmetic.h"

#include <bit>
#include <cmath>
#include <vector>

#include "reference/numeric/transcendental.h"
#include "reference/numeric/ulp.h"

namespace plumbline {
namespace {

/// Half the smallest float32 subnormal: what one underflowing product may lose.
constexpr double kUnderflow = 0x1p-150;

Bounded plain_sum(std::span<const Bounded> terms) {
  Bounded sum;
  for (const Bounded& term : terms) sum = sum + term;
  return sum;
}

/// Our own function is at most 1 ULP off in double; |sin'| and |cos'| are at most 1.
Bounded of_angle(double value, Bounded angle) { return {value, std::abs(value) * 0x1p-52 + angle.error}; }

}  // namespace

Bounded EngineArithmetic::step(Bounded exact) const {
  return profile_->float32_arithmetic ? rounded(DType::float32, exact) : exact;
}

Bounded EngineArithmetic::sum(std::span<const Bounded> terms) const {
  return profile_->float32_arithmetic ? float32_sum_any_order(terms) : plain_sum(terms);
}

Bounded EngineArithmetic::mean(std::span<const Bounded> terms) const {
  return divided(sum(terms), terms.size());
}

Bounded EngineArithmetic::mean_square(std::span<const Bounded> terms) const {
  std::vector<Bounded> squares;
  squares.reserve(terms.size());
  for (const Bounded& term : terms) squares.push_back(term * term);
  if (!profile_->float32_arithmetic) return divided(plain_sum(squares), terms.size());
  // Each square may be rounded, or fused into the addition: n roundings on every term's way through the sum.
  const Bounded exact = plain_sum(squares);
  const auto count = static_cast<int>(terms.size());
  return divided(widened(widened_by_roundings(exact, count), count * kUnderflow), terms.size());
}

Bounded EngineArithmetic::dot(std::span<const double> a, std::span<const double> b) const {
  double sum = 0, magnitude = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double product = a[i] * b[i];
    sum += product;
    magnitude += std::abs(product);
  }
  const auto count = static_cast<double>(a.size());
  const Bounded ours = widened({sum, 0}, magnitude * count * 0x1p-52);
  if (!profile_->float32_arithmetic) return ours;
  return widened(
      ours, widened_by_roundings({magnitude * (1 + count * 0x1p-52), 0}, static_cast<int>(a.size())).error +
                count * kUnderflow);
}

Bounded EngineArithmetic::reciprocal_root(Bounded a) const {
  if (profile_->reciprocal_root_ulp)
    return from_library(reciprocal(square_root(a)), *profile_->reciprocal_root_ulp);
  return step(reciprocal(step(square_root(a))));
}

Bounded EngineArithmetic::cosine(Bounded angle) const {
  return from_library(of_angle(cosine_of(angle.value), angle), profile_->trigonometry_ulp);
}

Bounded EngineArithmetic::sine(Bounded angle) const {
  return from_library(of_angle(sine_of(angle.value), angle), profile_->trigonometry_ulp);
}

Bounded EngineArithmetic::divided(Bounded sum, std::size_t count) const {
  const Bounded share = sum * Bounded{1 / static_cast<double>(count), 0};
  if (std::has_single_bit(count)) return step(share);
  const Bounded ours = widened(share, std::abs(share.value) * 0x1p-52);  // 1/n is rounded
  return profile_->float32_arithmetic ? widened_by_roundings(ours, 2) : ours;
}

Bounded EngineArithmetic::from_library(Bounded exact, double ulp) const {
  if (!profile_->float32_arithmetic) return exact;
  return widened(exact, ulp * ulp_of(DType::float32, largest_magnitude(exact)));
}

}  // namespace plumbline
