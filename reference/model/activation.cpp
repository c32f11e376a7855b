#include "reference/model/activation.h"

#include "reference/model/number.h"
#include "reference/numeric/transcendental.h"

#include <cmath>

namespace plumbline {
namespace {

constexpr double kRoundoff = 0x1p-24;               // of float32
constexpr double kUnderflow = 4 * 0x1p-150;         // what four products may lose below the normal numbers
constexpr double kOwnFunction = 0x1p-42;            // relative error of our own results here
constexpr double kRootHalf = 0x1.6a09e667f3bcdp-1;  // √½
constexpr double kTwoOverRootPi = 0x1.20dd750429b6dp+0;  // 2/√π
constexpr double kRootTwoOverPi = 0x1.9884533d43651p-1;  // √(2/π)
constexpr double kCubic = 0.044715;

template <typename Number>
Number relu(Number x) {
  const double v = value_of(x);
  if (v <= 0) return within<Number>(0, std::max(v + error_of(x), 0.0));
  return x;
}

/// What the input's error and our own rounding make of x·Φ(x) or its tanh form: their slopes stay below 1.13
/// and the slopes' slopes below 0.8.
template <typename Number>
double inherited(double slope, double result, Number x) {
  return (std::abs(slope) + 0.8 * error_of(x)) * error_of(x) + std::abs(result) * kOwnFunction;
}

/// x · 0.5 · (1 + erf(x·√½)) in float32 (ATen's GELU kernels, approximate="none").
template <typename Number>
Number gelu(Number x, const RoundingProfile& profile) {
  const double v = value_of(x), t = v * kRootHalf;
  const double tail = normal_tail_of(std::abs(v));  // Φ(-|x|)
  const double phi = v > 0 ? 1 - tail : tail, result = v * phi;
  const double density = 0.5 * kTwoOverRootPi * kRootHalf * exp_of(-t * t);
  double engine = 0;
  if (profile.float32_arithmetic) {
    // The argument is two roundings off, the library's result `error_function_ulp`; then the sum rounds, and
    // the product.
    const double error_function = 1 - 2 * tail;
    const double argument = 2 * density * std::abs(v) * 2 * kRoundoff;
    const double library =
        profile.error_function_absolute + profile.error_function_ulp * 2 * kRoundoff * error_function;
    engine = (1 + 0x1p-20) * (std::abs(v) / 2 * (argument + library + 2 * phi * kRoundoff) +
                              2 * std::abs(result) * kRoundoff) +
             kUnderflow;
  }
  return within<Number>(result, inherited(phi + v * density, result, x) + engine);
}

/// 0.5 · x · (1 + tanh(β·(x + κ·x³))) in float32 (ATen's GELU kernels, approximate="tanh").
template <typename Number>
Number gelu_tanh(Number x, const BasicEngineArithmetic<Number>& arithmetic) {
  const RoundingProfile& profile = arithmetic.profile();
  const double v = value_of(x), inner = kRootTwoOverPi * (v + kCubic * v * v * v);
  const double gate = value_of(arithmetic.sigmoid(exactly<Number>(2 * inner)));
  const double result = v * gate, tangent_slope = 4 * gate * (1 - gate);  // 1 − tanh²
  const double slope = gate + 2 * v * gate * (1 - gate) * kRootTwoOverPi * (1 + 3 * kCubic * v * v);
  double engine = 0;
  if (profile.float32_arithmetic) {
    // The argument is at most seven roundings off: x², x³, κ and its product, the sum, β and its product.
    const double argument = tangent_slope * std::abs(inner) * 7 * kRoundoff;
    const double library = profile.hyperbolic_tangent_ulp * 2 * kRoundoff * std::abs(2 * gate - 1);
    engine = (1 + 0x1p-19) * (std::abs(v) / 2 * (argument + library + 2 * gate * kRoundoff) +
                              2 * std::abs(result) * kRoundoff) +
             kUnderflow;
  }
  return within<Number>(result, inherited(slope, result, x) + engine);
}

}  // namespace

template <typename Number>
Number activated(Activation activation, Number x, const BasicEngineArithmetic<Number>& arithmetic) {
  switch (activation) {
    case Activation::sigmoid:
      return arithmetic.sigmoid(x);
    case Activation::relu:
      return relu(x);
    case Activation::gelu:
      return gelu(x, arithmetic.profile());
    case Activation::gelu_tanh:
      return gelu_tanh(x, arithmetic);
    case Activation::silu:
      break;
  }
  return arithmetic.silu(x);
}

template Bounded activated(Activation, Bounded, const BasicEngineArithmetic<Bounded>&);
template double activated(Activation, double, const BasicEngineArithmetic<double>&);

}  // namespace plumbline
