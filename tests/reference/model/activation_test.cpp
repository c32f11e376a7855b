#include "reference/model/activation.h"

#include "reference/model/number.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using BoundedArithmetic = BasicEngineArithmetic<Bounded>;

/// The engine's own float32 steps, by the C library's functions.
float gelu_in_float32(float x) { return x * 0.5F * (1 + std::erf(x * 0x1.6a09e6p-1F)); }
/// ATen's vectorised kernel on a CPU: erf by Abramowitz and Stegun 1964, 7.1.26.
float gelu_by_rational_erf(float x) {
  const float t = std::abs(x) * 0x1.6a09e6p-1F, r = 1 / (1 + 0.3275911F * t);
  const float sum =
      r * (0.254829592F + r * (-0.284496736F + r * (1.421413741F + r * (-1.453152027F + r * 1.061405429F))));
  return x * 0.5F * (1 + std::copysign(1 - sum * std::exp(-t * t), x));
}
float gelu_tanh_in_float32(float x) {
  const float inner = 0x1.988454p-1F * (x + 0.044715F * (x * x * x));
  return 0.5F * x * (1 + std::tanh(inner));
}
float silu_in_float32(float x) { return x / (1 + std::exp(-x)); }
float sigmoid_in_float32(float x) { return 1 / (1 + std::exp(-x)); }

/// Largest share of the bound that the engine's float32 result takes over ±104, past the ends of float32's
/// exponential.
double used_share(Activation activation, const std::function<float(float)>& engine,
                  const RoundingProfile& profile = hf_cuda_profile()) {
  const BoundedArithmetic arithmetic(profile, DType::float32);
  double worst = 0;
  for (int i = -104 * 64; i <= 104 * 64; ++i) {
    for (const double nudge : {0.0, 0x1.9p-9, -0x1.33p-12}) {
      const auto x = static_cast<float>(i / 64.0 + nudge);
      const Bounded ours = activated(activation, Bounded{x, 0}, arithmetic);
      if (!std::isfinite(ours.value) || !std::isfinite(ours.error)) return HUGE_VAL;
      const double distance = std::abs(ours.value - static_cast<double>(engine(x)));
      worst = std::max(worst, distance == 0 ? 0 : distance / ours.error);
    }
  }
  return worst;
}

TEST(Activation, Float32ResultsStayWithinTheirBoundWhichIsNotSlack) {
  struct Case {
    const char* name;
    Activation activation;
    std::function<float(float)> engine;
  };
  for (const Case& c : {Case{"silu", Activation::silu, silu_in_float32},
                        Case{"sigmoid", Activation::sigmoid, sigmoid_in_float32},
                        Case{"gelu", Activation::gelu, gelu_in_float32},
                        Case{"gelu_tanh", Activation::gelu_tanh, gelu_tanh_in_float32}}) {
    const double share = used_share(c.activation, c.engine);
    EXPECT_LE(share, 1) << c.name;
    EXPECT_GE(share, 0.2) << c.name;
  }
}

// That form of erf is known to an absolute error alone, 5 times what an accurate one may be off at -3.5.
TEST(Activation, GeluOfACpuMayTakeTheRationalErrorFunction) {
  EXPECT_LE(used_share(Activation::gelu, gelu_by_rational_erf, hf_cpu_profile()), 1);
  EXPECT_GT(used_share(Activation::gelu, gelu_by_rational_erf, hf_cuda_profile()), 1);
}

// Moving the input to either end of its interval moves the result by no more than the bound says.
TEST(Activation, BoundHoldsTheInputsError) {
  const BoundedArithmetic exact(exact_profile(), DType::float32);
  for (const Activation activation :
       {Activation::silu, Activation::sigmoid, Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
    for (int i = -1024; i <= 1024; ++i) {
      for (const double reach : {0x1p-30, 0x1p-7, 1.0}) {
        const double x = i / 128.0;
        const Bounded ours = activated(activation, Bounded{x, reach}, exact);
        for (const double end : {x - reach, x + reach}) {
          const double moved = activated(activation, Bounded{end, 0}, exact).value;
          ASSERT_LE(std::abs(moved - ours.value), ours.error) << static_cast<int>(activation) << " at " << x;
        }
      }
    }
  }
}

TEST(Activation, ReluOfACertainSignIsExact) {
  const BoundedArithmetic arithmetic(hf_cuda_profile(), DType::float32);
  EXPECT_EQ(activated(Activation::relu, Bounded{-2, 1}, arithmetic).error, 0);
  EXPECT_NEAR(activated(Activation::relu, Bounded{-2, 3}, arithmetic).error, 1, 1e-12);  // rounded up
  EXPECT_EQ(activated(Activation::relu, Bounded{2, 3}, arithmetic).error, 3);
  EXPECT_TRUE(std::isnan(activated(Activation::relu, Bounded{std::nan(""), 0}, arithmetic).value));
}

TEST(Activation, NamesAreHuggingFaces) {
  EXPECT_EQ(find_activation("swish"), Activation::silu);
  EXPECT_EQ(find_activation("gelu_pytorch_tanh"), Activation::gelu_tanh);
  EXPECT_EQ(find_activation("gelu_new"), std::nullopt);
  for (const std::string_view name : activation_names()) EXPECT_TRUE(find_activation(name)) << name;
}

}  // namespace
}  // namespace plumbline
