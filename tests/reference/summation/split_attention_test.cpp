#include "reference/summation/split_attention.h"

#include <cmath>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

constexpr float kLogTwo = 0.693147182f;

/// Two-dimensional heads whose scores are given: query (1, 0), keys (score, anything).
struct Scene {
  std::vector<float> query = {1, 0}, keys, values;
  explicit Scene(const std::vector<float>& scores, std::vector<float> column) : values(std::move(column)) {
    for (const float score : scores) keys.insert(keys.end(), {score, 7});
  }
  AttentionRow row() const { return {query, keys, values, std::ssize(values), 2, 1, 1}; }
};

SplitAttentionPlan plan_of(Partition splits, AttentionMerge merge, DType partial = DType::float32) {
  const auto count = std::ssize(splits);
  return {{std::move(splits), {}, tree_of({}, count), partial}, {}, merge, DType::float32};
}

class AttentionMerges : public ::testing::TestWithParam<AttentionMerge> {};

TEST_P(AttentionMerges, WeighTheSplitsByTheirSums) {
  // Weights 1 and 3·1, so (8 + 3·4) / 4.
  const Scene scene({0, 0, 0, 0}, {8, 4, 4, 4});
  const auto result = SplitAttention<float>(plan_of({{0}, {1, 2, 3}}, GetParam()))(scene.row());
  EXPECT_FLOAT_EQ(result.out[0], 5);
  EXPECT_FLOAT_EQ(result.log_sum_exp, 2 * kLogTwo);
}

TEST_P(AttentionMerges, RescaleToTheLargerMaximum) {
  const Scene scene({0, kLogTwo, 60, -60}, {1, 2, 3, 1000});
  for (const Partition& splits :
       {Partition{{0, 1, 2, 3}}, Partition{{0, 3}, {1, 2}}, Partition{{2}, {3}, {0, 1}}}) {
    const auto result = SplitAttention<float>(plan_of(splits, GetParam()))(scene.row());
    EXPECT_FLOAT_EQ(result.out[0], 3);
    EXPECT_FLOAT_EQ(result.log_sum_exp, 60);
  }
}

TEST_P(AttentionMerges, GiveZeroWhereNoTokenIs) {
  const Scene scene({}, {});
  const auto result = SplitAttention<float>(plan_of({{}, {}}, GetParam()))(scene.row());
  EXPECT_TRUE(result.empty);
  EXPECT_EQ(result.out, std::vector<float>{0});
}

TEST_P(AttentionMerges, StoreTheirPartialOutputs) {
  const Scene scene({0}, {1 + 0x1p-12f});
  EXPECT_EQ(SplitAttention<float>(plan_of({{0}}, GetParam()))(scene.row()).out[0], 1 + 0x1p-12f);
  EXPECT_EQ(SplitAttention<float>(plan_of({{0}}, GetParam(), DType::float16))(scene.row()).out[0], 1);
}

INSTANTIATE_TEST_SUITE_P(Both, AttentionMerges,
                         ::testing::Values(AttentionMerge::log_sum_exp, AttentionMerge::running_maximum));

TEST(SplitAttention, StoresTheWeightsBeforeTheyMultiply) {
  const Scene scene({0, std::log(0.7f)}, {0, 1});
  SplitAttentionPlan plan = plan_of({{0, 1}}, AttentionMerge::log_sum_exp);
  const float fine = SplitAttention<float>(plan)(scene.row()).out[0];
  plan.weights = DType::bfloat16;  // 0.7 becomes 0.69921875; the sum keeps float32
  EXPECT_NEAR(fine, 0.7 / 1.7, 1e-6);
  EXPECT_NEAR(SplitAttention<float>(plan)(scene.row()).out[0], 0.69921875 / 1.7, 1e-6);
}

}  // namespace
}  // namespace plumbline
