#include "reference/summation/split_delta_state.h"

#include "fixtures/error.h"

#include <cmath>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

SplitPlan chunks(Partition splits) {
  const auto count = std::ssize(splits);
  return {std::move(splits), {}, tree_of({}, count), DType::float32};
}

TEST(SplitDeltaState, DecaysWhatWasWrittenBefore) {
  const float half = -0.693147182f;
  const std::vector<float> keys = {1, 1, 2}, writes = {8, 4, 1}, decay = {-5, half, half};
  const DeltaWrites tokens = {keys, writes, decay, 3, 1, 1};
  for (const Partition& splits : {Partition{{0, 1, 2}}, Partition{{0}, {1, 2}}, Partition{{0}, {1}, {}, {2}}})
    EXPECT_FLOAT_EQ(SplitDeltaState<float>(chunks(splits))(tokens)[0], 8 * 0.25f + 4 * 0.5f + 2);
}

TEST(SplitDeltaState, KeepsKeysAndValuesApart) {
  const std::vector<float> keys = {1, 2}, writes = {3, 5, 7}, decay = {0};
  EXPECT_EQ(SplitDeltaState<float>(chunks({{0}}))({keys, writes, decay, 1, 2, 3}),
            (std::vector<float>{3, 5, 7, 6, 10, 14}));
}

TEST(SplitDeltaState, AScanOverChunksAgreesWithTheRecurrence) {
  std::vector<float> keys, writes, decay;
  for (int t = 0; t < 32; ++t) {
    keys.push_back(std::sin(static_cast<float>(t)));
    writes.push_back(std::cos(static_cast<float>(3 * t)));
    decay.push_back(-0.01f * static_cast<float>(t % 5));
  }
  const DeltaWrites tokens = {keys, writes, decay, 32, 1, 1};
  double state = 0;
  for (std::size_t t = 0; t < 32; ++t)
    state = state * std::exp(static_cast<double>(decay[t])) + static_cast<double>(keys[t]) * writes[t];
  SplitPlan plan = chunks(contiguous_partition(32, 8));
  EXPECT_NEAR(SplitDeltaState<float>(plan)(tokens)[0], state, 1e-6);
  plan.merge = tree_of({SumOrder::Kind::pairwise}, 8);
  EXPECT_NEAR(SplitDeltaState<float>(plan)(tokens)[0], state, 1e-6);
}

TEST(SplitDeltaState, RefusesChunksOutOfOrderAndMergesOfNoNeighbours) {
  EXPECT_THROW(SplitDeltaState<float>(chunks({{1}, {0}})), InputError);
  EXPECT_THROW(SplitDeltaState<float>(chunks(strided_partition(4, 2))), InputError);
  SplitPlan plan = chunks(contiguous_partition(4, 4));
  plan.merge = tree_of({SumOrder::Kind::lanes, 2}, 4);
  EXPECT_THROW(SplitDeltaState<float>{plan}, InputError);
  plan.merge = tree_of({SumOrder::Kind::fused, 4}, 4);
  EXPECT_THROW(SplitDeltaState<float>{plan}, InputError);
}

}  // namespace
}  // namespace plumbline
