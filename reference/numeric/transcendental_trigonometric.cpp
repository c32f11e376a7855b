#include "reference/numeric/transcendental.h"

#include <array>
#include <cmath>
#include <limits>

#include "reference/numeric/transcendental_double_double.h"

namespace plumbline {
namespace {

/// π/2 in four parts: 212 bits, so that even an argument next to a large multiple of π/2 keeps a full
/// remainder.
constexpr std::array<double, 4> kHalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                           -0x1.f1976b7ed8fbcp-110, 0x1.4cf98e804177dp-164};
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;

struct Reduced {
  DoubleDouble remainder;  ///< x − quadrant·π/2, within about ±π/4
  int quadrant = 0;        ///< 0 … 3
};

/// Cody–Waite reduction; the products are exact, and their sum is kept as an expansion (Shewchuk 1997), so
/// nothing is lost however much cancels.
Reduced reduce(double x) {
  const double multiple = std::floor(x * kTwoOverPi + 0.5);
  std::array<double, 9> expansion = {x};
  std::size_t size = 1;
  const auto grow = [&](double term) {
    for (std::size_t i = 0; i < size; ++i) {
      const DoubleDouble sum = two_sum(term, expansion[i]);
      expansion[i] = sum.low;
      term = sum.high;
    }
    expansion[size++] = term;
  };
  for (const double part : kHalfPi) {
    const DoubleDouble product = two_product(-multiple, part);
    grow(product.low);
    grow(product.high);
  }
  DoubleDouble remainder;
  for (const double component : expansion) remainder = add(remainder, {component, 0});
  return {remainder, static_cast<int>(static_cast<long long>(multiple) & 3)};
}

/// 1 − z/((f+1)(f+2)) · (1 − z/((f+3)(f+4)) · …): the alternating factorial series in z = r².
DoubleDouble nested_series(DoubleDouble z, int first, int terms) {
  DoubleDouble sum = {1, 0};
  for (int term = terms; term > 0; --term) {
    const double divisor = static_cast<double>((first + 2 * term - 1) * (first + 2 * term));
    const DoubleDouble product = divide(multiply(z, sum), {-divisor, 0});
    sum = add({1, 0}, product);
  }
  return sum;
}

// (π/4)^(2n) / (2n)! is below 2^-70 for n = 11.
constexpr int kTerms = 11;

double sine_of_remainder(DoubleDouble r) {
  const DoubleDouble value = multiply(r, nested_series(multiply(r, r), 1, kTerms));
  return value.high + value.low;
}

double cosine_of_remainder(DoubleDouble r) {
  const DoubleDouble value = nested_series(multiply(r, r), 0, kTerms);
  return value.high + value.low;
}

double in_quadrant(DoubleDouble remainder, int quadrant) {
  const double magnitude = quadrant % 2 == 0 ? sine_of_remainder(remainder) : cosine_of_remainder(remainder);
  return quadrant < 2 ? magnitude : -magnitude;
}

}  // namespace

double sine_of(double x) {
  if (!(std::abs(x) <= kLargestAngle)) return std::numeric_limits<double>::quiet_NaN();
  if (std::abs(x) < 0x1p-27) return x;  // x − x³/6 rounds to x or its neighbour; keeps −0 and subnormals
  const Reduced reduced = reduce(x);
  return in_quadrant(reduced.remainder, reduced.quadrant);
}

double cosine_of(double x) {
  if (!(std::abs(x) <= kLargestAngle)) return std::numeric_limits<double>::quiet_NaN();
  const Reduced reduced = reduce(x);
  return in_quadrant(reduced.remainder, (reduced.quadrant + 1) % 4);
}

}  // namespace plumbline
