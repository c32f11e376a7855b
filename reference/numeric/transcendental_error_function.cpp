#include "reference/numeric/transcendental.h"

#include <cmath>
#include <limits>

namespace plumbline {
namespace {

constexpr double kRootHalf = 0x1.6a09e667f3bcdp-1;    // √½
constexpr double kOverRootPi = 0x1.20dd750429b6dp-1;  // 1/√π

/// erf(t) = 2/√π · e^(−t²) · Σ 2^n·t^(2n+1)/(1·3·5…(2n+1)), whose terms are all positive (Abramowitz and
/// Stegun 1964, 7.1.6). For t <= 2 the 50th term is below 2^-70 of the sum.
double error_function_series(double t) {
  double sum = 0;
  for (int n = 50; n >= 1; --n) sum = (sum + 1) * (2 * t * t / (2 * n + 1));
  return 2 * kOverRootPi * exp_of(-t * t) * (t + t * sum);
}

/// erfc(t) = e^(−t²)/√π · 1/(t + ½/(t + 1/(t + 3/2/(t + …)))) (ibid., 7.1.14), 80 levels deep, for t >= 1.5.
double complement_fraction(double t) {
  double denominator = t;
  for (int n = 80; n >= 1; --n) denominator = t + 0.5 * n / denominator;
  return kOverRootPi * exp_of(-t * t) / denominator;
}

}  // namespace

double normal_tail_of(double x) {
  if (!(x >= 0)) return std::numeric_limits<double>::quiet_NaN();
  const double t = x * kRootHalf;
  if (t > 30) return 0;  // below the smallest double
  return 0.5 * (t < 1.5 ? 1 - error_function_series(t) : complement_fraction(t));
}

}  // namespace plumbline
