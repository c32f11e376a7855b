#include "fixtures/small_float.h"
#include "tests/reference/model/exact_delta_net.h"
#include "tests/reference/model/wide.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

std::vector<double> finite_bfloat16() {
  std::vector<double> all;
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const double x = decode_bfloat16(static_cast<std::uint16_t>(bits));
    if (std::isfinite(x)) all.push_back(x);
  }
  return all;
}

/// The write strength that the layer takes from each b: with one key of length 1 and the value 1 an empty
/// state holds β itself. One value head a number.
std::vector<double> betas(const std::vector<double>& b, const RoundingProfile& profile) {
  const auto heads = static_cast<std::int64_t>(b.size());
  const GatedDeltaNetWeights weights = transparent_delta_net(heads, 1, 1);
  Rows<double> projected(1, weights.channels()), strengths(1, heads), decays(1, heads);
  projected.numbers.assign(projected.numbers.size(), 1.0);
  projected.numbers[0] = projected.numbers[1] = 0x1p20;  // query and key
  strengths.numbers = b;
  GatedDeltaNetState<double> state(weights);
  delta_rule_of_projection(projected, strengths, decays, weights, DeltaRuleForm::recurrent,
                           BasicEngineArithmetic<double>(profile, DType::bfloat16), state);
  std::vector<double> held;
  for (const Rows<double>& head : state.heads) held.push_back(head.numbers[0]);
  return held;
}

/// Where a sigmoid that is at most 4 units in the last place of a double off may round to: one number, except
/// next to a tie of float32 (such as 1/2 + x/4 for some small x), which no double tells from the number.
struct Rounded {
  double low, high;
};

Rounded in_float32(double b) {
  Wide y;
  wide_sigmoid(b, y);
  const double exact = y.as_double(), slack = 4 * 0x1p-52;
  return {static_cast<float>(exact * (1 - slack)), static_cast<float>(exact * (1 + slack))};
}

/// Computed in float32, as every engine does, and then stored.
Rounded in_bfloat16(double b) {
  const auto [low, high] = in_float32(b);
  const auto stored = [](double number) {
    Wide y;
    mpfr_set_d(y, number, MPFR_RNDN);
    return y.as_bfloat16();
  };
  return {stored(low), stored(high)};
}

// CASES.md E1: engines disagree on whether sigmoid(b) is rounded to storage. Both are modes, and each is the
// number it says for every b there is.
TEST(BetaTable, IsTheSigmoidRoundedOnceOrTwiceForEveryBfloat16) {
  const std::vector<double> b = finite_bfloat16();
  ASSERT_EQ(b.size(), 65280U);
  RoundingProfile unstored = hf_cuda_profile();
  unstored.store_beta = false;
  const std::vector<double> stored = betas(b, hf_cuda_profile()), kept = betas(b, unstored);
  int differing = 0, uncertain = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Rounded twice = in_bfloat16(b[i]), once = in_float32(b[i]);
    ASSERT_GE(stored[i], twice.low) << b[i];
    ASSERT_LE(stored[i], twice.high) << b[i];
    ASSERT_GE(kept[i], once.low) << b[i];
    ASSERT_LE(kept[i], once.high) << b[i];
    differing += stored[i] != kept[i] ? 1 : 0;
    uncertain += once.low != once.high || twice.low != twice.high ? 1 : 0;
  }
  RecordProperty("numbers whose modes differ", differing);
  RecordProperty("numbers next to a tie", uncertain);
  EXPECT_GT(differing, 2000);
  EXPECT_LT(uncertain, 500) << "so nearly every number is known to the bit";
}

TEST(BetaTable, TheDefinitionDoesNotRoundIt) {
  const std::vector<double> b = finite_bfloat16(), exact = betas(b, exact_profile());
  for (std::size_t i = 0; i < b.size(); ++i) {
    Wide y;
    wide_sigmoid(b[i], y);
    // Four roundings to double, and the last unit of its subnormals.
    ASSERT_NEAR(exact[i], y.as_double(), 4 * 0x1p-52 * y.as_double() + 0x1p-1074) << b[i];
  }
}

}  // namespace
}  // namespace plumbline
