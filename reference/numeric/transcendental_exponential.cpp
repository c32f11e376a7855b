#include "reference/numeric/transcendental.h"
#include "reference/numeric/transcendental_double_double.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace plumbline {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kOverLog2 = 0x1.71547652b82fep+0;
// ln 2 in two parts, the first of 32 bits: its products with an exponent are exact.
constexpr double kLog2Head = 0x1.62e42fee00000p-1, kLog2Tail = 0x1.a39ef35793c76p-33;
// ln 2 as a double-double.
constexpr DoubleDouble kLog2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/// Σ r^n/n! for n = 2 … 15 without the factor r²; the next term is below 2^-62 of the whole for |r| <=
/// ln(2)/2.
double exponential_series(double r) {
  constexpr std::array<double, 14> kCoefficients = {1.0 / 1307674368000,
                                                    1.0 / 87178291200,
                                                    1.0 / 6227020800,
                                                    1.0 / 479001600,
                                                    1.0 / 39916800,
                                                    1.0 / 3628800,
                                                    1.0 / 362880,
                                                    1.0 / 40320,
                                                    1.0 / 5040,
                                                    1.0 / 720,
                                                    1.0 / 120,
                                                    1.0 / 24,
                                                    1.0 / 6,
                                                    0.5};
  double sum = 0;
  for (const double coefficient : kCoefficients) sum = sum * r + coefficient;
  return sum;
}

double exp_of_pair(DoubleDouble x) {
  if (std::isnan(x.high)) return x.high;
  if (x.high > 710) return kInfinity;
  if (x.high < -746) return 0;
  const double shifted = x.high * kOverLog2 + 0.5;
  int whole = static_cast<int>(shifted);
  if (shifted < whole) --whole;  // the floor
  const double exponent = whole;
  const DoubleDouble head = two_sum(x.high - exponent * kLog2Head, -exponent * kLog2Tail);
  const DoubleDouble r = quick_two_sum(head.high, head.low + x.low);
  // 1 + r.high is taken exactly; everything else is at most a sixteenth of it.
  const DoubleDouble lead = quick_two_sum(1, r.high);
  const double rest = r.low + r.low * r.high + r.high * r.high * exponential_series(r.high);
  const double significand = lead.high + (lead.low + rest);
  // It lies in [½, 2), so that scaling by a normal power to a normal result is exact.
  if (whole < -1020 || whole > 1020) return std::ldexp(significand, whole);
  return significand * std::bit_cast<double>(static_cast<std::uint64_t>(whole + 1023) << 52);
}

/// x = 2^exponent · significand, significand in [√½, √2).
struct Scaled {
  double significand = 1;
  int exponent = 0;
};

Scaled scaled(double x) {
  Scaled result;
  result.significand = std::frexp(x, &result.exponent);
  if (result.significand < 0x1.6a09e667f3bcdp-1) {
    result.significand *= 2;
    --result.exponent;
  }
  return result;
}

/// (m − 1) / (m + 1): log m is twice its inverse hyperbolic tangent, and it stays within ±0.1716.
DoubleDouble tangent_argument(double significand) {
  return divide({significand - 1, 0}, two_sum(significand, 1));
}

DoubleDouble log_of_pair(double x) {
  const Scaled parts = scaled(x);
  const DoubleDouble s = tangent_argument(parts.significand);
  const DoubleDouble z = multiply(s, s);
  DoubleDouble series;
  for (int n = 20; n >= 0; --n) {  // z^21 is below 2^-106
    series = add(multiply(series, z), divide({1, 0}, {static_cast<double>(2 * n + 1), 0}));
  }
  const DoubleDouble of_significand = multiply({2 * s.high, 2 * s.low}, series);
  return add(multiply({static_cast<double>(parts.exponent), 0}, kLog2), of_significand);
}

}  // namespace

double exp_of(double x) { return exp_of_pair({x, 0}); }

double log_of(double x) {
  if (std::isnan(x) || x < 0) return kNaN;
  if (x == 0) return -kInfinity;
  if (std::isinf(x)) return x;
  const Scaled parts = scaled(x);
  const DoubleDouble s = tangent_argument(parts.significand);
  const double z = s.high * s.high;
  double series = 0;
  for (int n = 12; n > 0; --n) series = (series + 1.0 / (2 * n + 1)) * z;  // z^13 is below 2^-66
  const DoubleDouble lead = two_sum(parts.exponent * kLog2Head, 2 * s.high);
  const double rest = 2 * s.low + 2 * s.high * series + parts.exponent * kLog2Tail;
  return lead.high + (lead.low + rest);
}

double pow_of(double base, double exponent) {
  if (!(base > 0) || std::isinf(base) || !std::isfinite(exponent)) return kNaN;
  const DoubleDouble log = log_of_pair(base);
  if (std::abs(log.high * exponent) > 800) return log.high * exponent > 0 ? kInfinity : 0;
  return exp_of_pair(multiply(log, {exponent, 0}));
}

}  // namespace plumbline
