#include "fixtures/small_float.h"
#include "reference/model/number.h"
#include "reference/model/sparse_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

constexpr std::size_t kDim = 16;
constexpr double kRoot = 4;  // √kDim
constexpr AttentionGeometry kOneHead{1, 1, kDim};

double bf16(double x) { return round_to(DType::bfloat16, x); }

/// bfloat16 numbers without a pattern.
std::vector<double> numbers(std::size_t count, double seed) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(bf16(std::sin(seed + 1.7 * static_cast<double>(i)) * 0.9));
  return out;
}

struct Problem {
  std::vector<double> query = numbers(kDim, 0.3);
  Rows<double> keys{6, kDim}, values{6, kDim};
  std::vector<std::int32_t> tokens = {0, 1, 2, 3, 4, 5};

  Problem() {
    keys.numbers = numbers(6 * kDim, 1.1);
    values.numbers = numbers(6 * kDim, 2.9);
  }
  double score(std::size_t token, const std::vector<double>& q) const {
    double sum = 0;
    for (std::size_t i = 0; i < kDim; ++i) sum += q[i] * keys.row(static_cast<std::int64_t>(token))[i];
    return sum;
  }
  std::vector<double> run(const RoundingProfile& profile) const {
    std::vector<double> out(kDim);
    sparse_attention<double>(query, keys, values, tokens, kOneHead,
                             BasicEngineArithmetic<double>(profile, DType::bfloat16), out);
    return out;
  }
  /// Σ weight·v / normaliser, rounded to bfloat16.
  std::vector<double> mixed(const std::vector<double>& weights, double normaliser) const {
    std::vector<double> out(kDim);
    for (std::size_t t = 0; t < 6; ++t)
      for (std::size_t c = 0; c < kDim; ++c)
        out[c] += weights[t] * values.row(static_cast<std::int64_t>(t))[c];
    for (double& number : out) number = bf16(number / normaliser);
    return out;
  }
};

RoundingProfile online() {
  RoundingProfile profile = hf_cuda_profile();
  profile.store_scores = false;
  profile.normalise_after_values = true;
  return profile;
}

TEST(AttentionRounding, ProbabilitiesAreRoundedBeforeTheyAreNormalised) {
  const Problem problem;
  double largest = -HUGE_VAL, sum = 0;
  for (std::size_t t = 0; t < 6; ++t) largest = std::max(largest, problem.score(t, problem.query) / kRoot);
  std::vector<double> weights, normalised;
  for (std::size_t t = 0; t < 6; ++t) {
    weights.push_back(std::exp(problem.score(t, problem.query) / kRoot - largest));
    sum += weights.back();
  }
  for (double& weight : weights) {
    normalised.push_back(bf16(weight / sum));
    weight = bf16(weight);
  }
  EXPECT_EQ(problem.run(online()), problem.mixed(weights, sum));
  EXPECT_NE(problem.mixed(weights, sum), problem.mixed(normalised, 1));
}

TEST(AttentionRounding, TheScaledQueryIsRoundedBeforeTheDotProduct) {
  const Problem problem;
  RoundingProfile profile = online();
  profile.scale_query = true;
  std::vector<double> query = problem.query;
  for (double& number : query)
    number = bf16(number * static_cast<double>(static_cast<float>(std::log2(std::exp(1.0)) / kRoot)));
  double largest = -HUGE_VAL, sum = 0;
  for (std::size_t t = 0; t < 6; ++t) largest = std::max(largest, problem.score(t, query));
  std::vector<double> weights;
  for (std::size_t t = 0; t < 6; ++t) {
    weights.push_back(std::exp2(problem.score(t, query) - largest));
    sum += weights.back();
  }
  for (double& weight : weights) weight = bf16(weight);
  EXPECT_EQ(problem.run(profile), problem.mixed(weights, sum));
  EXPECT_NE(problem.run(profile), problem.run(online()));
}

TEST(AttentionRounding, WithoutRoundingEveryFormIsTheSameFunction) {
  const Problem problem;
  RoundingProfile folded = exact_profile();
  folded.scale_query = true;
  folded.normalise_after_values = true;
  const std::vector<double> one = problem.run(exact_profile()), other = problem.run(folded);
  for (std::size_t c = 0; c < kDim; ++c) EXPECT_NEAR(one[c], other[c], 1e-14);
}

TEST(RoundingProfiles, AreSevenFoundByTheirNames) {
  EXPECT_EQ(rounding_profiles().size(), 7u);
  for (const char* name : {"exact", "hf_cpu", "hf_cuda", "vllm", "sglang", "trtllm", "llamacpp"}) {
    ASSERT_NE(find_rounding_profile(name), nullptr) << name;
    EXPECT_EQ(find_rounding_profile(name)->name, name);
  }
  EXPECT_EQ(find_rounding_profile("none"), nullptr);
}

class AttentionWeights : public testing::Test {
 protected:
  static constexpr AttentionGeometry kTwoHeads{2, 1, kDim};
  static Rows<Bounded> exact(const Rows<double>& rows) {
    Rows<Bounded> out(rows.rows, rows.width);
    for (std::size_t i = 0; i < rows.numbers.size(); ++i) out.numbers[i] = {rows.numbers[i], 0};
    return out;
  }
  static std::vector<Bounded> weights(const std::vector<double>& query, const Rows<double>& keys,
                                      const std::vector<std::int32_t>& tokens) {
    std::vector<Bounded> exact_query, out(2 * tokens.size());
    for (const double number : query) exact_query.push_back({number, 0});
    attention_weights(exact_query, exact(keys), tokens, kTwoHeads,
                      EngineArithmetic(hf_cuda_profile(), DType::bfloat16), out);
    return out;
  }
};

TEST_F(AttentionWeights, AreTheSameForTheSameKey) {
  Rows<double> keys(4, kDim);
  for (std::int64_t t = 0; t < 4; ++t) std::ranges::copy(numbers(kDim, 0.7), keys.row(t).begin());
  for (const Bounded& weight : weights(numbers(2 * kDim, 0.3), keys, {0, 1, 3})) {
    EXPECT_EQ(weight.value, bf16(1.0 / 3));
    EXPECT_EQ(weight.error, 0);
  }
}

TEST_F(AttentionWeights, AreWhatEachHeadMultipliesTheValuesWith) {
  const Problem problem;
  const std::vector<double> query = numbers(2 * kDim, 0.3);
  Rows<double> marked(6, kDim);  // each value is 1 in a column of its own
  for (std::int64_t t = 0; t < 6; ++t) marked.row(t)[static_cast<std::size_t>(t)] = 1;
  const std::vector<std::int32_t> tokens = {5, 0, 3};
  std::vector<double> out(2 * kDim);
  sparse_attention<double>(query, problem.keys, marked, tokens, kTwoHeads,
                           BasicEngineArithmetic<double>(hf_cuda_profile(), DType::bfloat16), out);
  const std::vector<Bounded> found = weights(query, problem.keys, tokens);
  for (std::size_t head = 0; head < 2; ++head)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(found[head * 3 + i].value, out[head * kDim + static_cast<std::size_t>(tokens[i])]);
}

}  // namespace
}  // namespace plumbline
