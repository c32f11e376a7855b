#include "reference/model/bounded.h"

#include "fixtures/small_float.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace plumbline {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFloat32Roundoff = 0x1p-24;

/// Covers the few double roundings of an error formula. Every quantity here stems from float32 numbers and
/// products of two of them, far above double's subnormals.
double up(double error) { return error * (1 + 0x1p-48); }

/// γ_n = n·u / (1 − n·u).
double gamma(double n) { return n * kFloat32Roundoff / (1 - n * kFloat32Roundoff); }

/// What the double sum `sum` of a and b lost (Knuth's two-sum).
double addition_loss(double a, double b, double sum) {
  const double b_part = sum - a;
  return (a - (sum - b_part)) + (b - b_part);
}

/// Exponent of the lowest set bit of a nonzero finite number.
int lowest_bit(double value) {
  int exponent;
  const double significand = std::ldexp(std::frexp(value, &exponent), 53);
  auto bits = static_cast<std::int64_t>(significand);
  int zeros = 0;
  for (; (bits & 1) == 0; bits /= 2) ++zeros;
  return exponent - 53 + zeros;
}

/// True when any partial sum is a float32 number: all terms are multiples of 2^m, and all together stay
/// within 2^24 of them.
bool every_partial_sum_is_float32(std::span<const Bounded> terms, double magnitude) {
  int lowest = std::numeric_limits<int>::max();
  for (const Bounded& term : terms) {
    if (term.error != 0 || !std::isfinite(term.value)) return false;
    if (term.value != 0) lowest = std::min(lowest, lowest_bit(term.value));
  }
  return magnitude == 0 || (lowest >= -149 && magnitude <= std::ldexp(0x1p24, lowest));
}

}  // namespace

Bounded operator+(Bounded a, Bounded b) {
  const double sum = a.value + b.value;
  return {sum, up(a.error + b.error + std::abs(addition_loss(a.value, b.value, sum))),
          std::max(scale_of(a), scale_of(b))};
}

Bounded operator-(Bounded a) { return {-a.value, a.error, a.partial}; }
Bounded operator-(Bounded a, Bounded b) { return a + -b; }

Bounded operator*(Bounded a, Bounded b) {
  const double product = a.value * b.value;
  const double loss = std::fma(a.value, b.value, -product);
  return {product,
          up(std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error + std::abs(loss)),
          std::max(a.partial * std::abs(b.value), b.partial * std::abs(a.value))};
}

Bounded square_root(Bounded a) {
  const double root = std::sqrt(a.value);
  // √a − √(a−e) = e / (√a + √(a−e)) is the larger side. What is rooted is never negative.
  const double spread = a.error == 0 ? 0
                        : root > 0   ? a.error / (root + std::sqrt(std::max(0.0, a.value - a.error)))
                                     : std::sqrt(a.error);
  return {root, up(spread + root * 0x1p-53)};
}

Bounded reciprocal(Bounded a) {
  const double inverse = 1 / a.value;
  const double nearest_to_zero = std::abs(a.value) - a.error;
  const double spread = nearest_to_zero > 0 ? a.error / (std::abs(a.value) * nearest_to_zero) : kInfinity;
  return {inverse, up(spread + std::abs(inverse) * 0x1p-53)};
}

Bounded rounded(DType type, Bounded a) {
  const double value = round_to(type, a.value);
  if (a.error == 0) return {value, 0, a.partial};
  const double below = round_to(type, std::nextafter(a.value - a.error, -kInfinity));
  const double above = round_to(type, std::nextafter(a.value + a.error, kInfinity));
  return {value, up(std::max(value - below, above - value)), a.partial};
}

Bounded widened(Bounded a, double absolute) { return {a.value, up(a.error + absolute), a.partial}; }

Bounded widened_by_roundings(Bounded a, int roundings) {
  return widened(a, up(gamma(roundings) * largest_magnitude(a)));
}

Bounded float32_sum_any_order(std::span<const Bounded> terms) {
  double sum = 0, magnitude = 0, inherited = 0, own_loss = 0, partial = 0;
  for (const Bounded& term : terms) {
    const double next = sum + term.value;
    own_loss += std::abs(addition_loss(sum, term.value, next));
    sum = next;
    magnitude += largest_magnitude(term);
    inherited += term.error;
    partial = std::max({partial, scale_of(term), std::abs(sum)});
  }
  const auto count = static_cast<double>(terms.size());
  // Plain double sums of n nonnegative numbers are short by less than a factor 1 + n·2^-52.
  const double cover = 1 + count * 0x1p-52;
  if (every_partial_sum_is_float32(terms, magnitude * cover)) return {sum, up(own_loss), partial};
  return {sum, up((inherited + own_loss + gamma(count - 1) * magnitude) * cover), partial};
}

double scale_of(Bounded a) { return std::max(std::abs(a.value), a.partial); }

double largest_magnitude(Bounded a) { return up(std::abs(a.value) + a.error); }

BoundedTensor::BoundedTensor(DType storage, Shape shape)
    : tensor(storage, std::move(shape)), error(static_cast<std::size_t>(element_count(tensor.shape)), 0) {}

Bounded BoundedTensor::at(std::int64_t element) const {
  const auto index = static_cast<std::size_t>(element);
  return {decode_element(tensor.dtype, tensor.bytes.data() + index * size_of(tensor.dtype)), error[index]};
}

void BoundedTensor::set(std::int64_t element, Bounded a) {
  const auto index = static_cast<std::size_t>(element);
  encode_element(tensor.dtype, a.value, tensor.bytes.data() + index * size_of(tensor.dtype));
  error[index] = a.error;
}

}  // namespace plumbline
