#include "reference/model/gemma_rmsnorm.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "fixtures/small_float.h"

namespace plumbline {
namespace {

std::vector<Bounded> normed(const std::vector<double>& x, const std::vector<double>& weight, double epsilon,
                            const EngineArithmetic& arithmetic) {
  std::vector<Bounded> values;
  for (const double value : x) values.push_back({value, 0});
  gemma_rmsnorm<Bounded>(values, weight, epsilon, arithmetic, values);
  return values;
}

TEST(GemmaRmsnorm, FollowsTheFormula) {
  const std::vector<double> x = {3, -4, 0, 5}, weight = {0, 0.5, 1, -0.25};
  const double mean_square = (9.0 + 16 + 25) / 4;
  const auto out = normed(x, weight, 0.25, {exact_profile(), DType::float32});
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(out[i].value, x[i] / std::sqrt(mean_square + 0.25) * (1 + weight[i]), 1e-14);
  }
}

TEST(GemmaRmsnorm, AWeightOfMinusOneGivesZero) {
  for (const RoundingProfile& profile : rounding_profiles()) {
    const auto out = normed({7.25, 7.5, 7.125, 7.0}, {-1, -1, -1, -1}, 1e-6, {profile, DType::bfloat16});
    for (const Bounded& element : out) {
      EXPECT_EQ(element.value, 0) << profile.name;
      EXPECT_EQ(element.error, 0) << profile.name;
    }
  }
}

TEST(GemmaRmsnorm, AMeanShiftChangesTheResult) {
  // A LayerNorm would not see the shift.
  const EngineArithmetic arithmetic(exact_profile(), DType::float32);
  const auto centred = normed({1, -1, 2, -2}, {0, 0, 0, 0}, 1e-6, arithmetic);
  const auto shifted = normed({11, 9, 12, 8}, {0, 0, 0, 0}, 1e-6, arithmetic);
  EXPECT_GT(std::abs(centred[0].value - shifted[0].value), 0.1);
}

/// The norm as PyTorch on the CPU does it, with one of many orders of the sum.
std::vector<float> engine_norm(const std::vector<float>& x, const std::vector<float>& weight, int lanes) {
  std::vector<float> partial(static_cast<std::size_t>(lanes), 0);
  for (std::size_t i = 0; i < x.size(); ++i) partial[i % partial.size()] += x[i] * x[i];
  float sum = 0;
  for (const float lane : partial) sum += lane;
  const float scale = 1 / std::sqrt(sum / static_cast<float>(x.size()) + 1e-6f);
  std::vector<float> out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back(x[i] * scale * (1 + weight[i]));
  return out;
}

RC_GTEST_PROP(GemmaRmsnorm, BoundCoversAFloat32EngineOfAnySummationOrder, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 130);
  const auto floats = rc::gen::container<std::vector<float>>(
      size, rc::gen::map(rc::gen::inRange(-(1 << 20), 1 << 20),
                         [](int n) { return static_cast<float>(n) * 0x1p-18f; }));
  const auto x = *floats, weight = *floats;
  const int lanes = *rc::gen::element(1, 4, 8, 32);
  const DType storage = *rc::gen::element(DType::float32, DType::bfloat16, DType::float16);
  const auto engine = engine_norm(x, weight, lanes);
  const auto ours =
      normed({x.begin(), x.end()}, {weight.begin(), weight.end()}, 1e-6, {hf_cpu_profile(), storage});
  for (std::size_t i = 0; i < size; ++i) {
    const double stored = round_to(storage, static_cast<double>(engine[i]));
    RC_ASSERT(std::abs(stored - ours[i].value) <= ours[i].error);
  }
}

}  // namespace
}  // namespace plumbline
