#include "reference/numeric/ordered_sum.h"

#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// 2^24 swallows a single 1, so each order of these gives another float32 sum.
const std::vector<float> kTelling = {0x1p24f, 1, 1, 1, 1, 1, 1};

TEST(OrderedSum, SequentialAddsFromTheFront) {
  EXPECT_EQ(sequential_sum<float>(kTelling), 0x1p24f);
  const std::vector<float> reversed(kTelling.rbegin(), kTelling.rend());
  EXPECT_EQ(sequential_sum<float>(reversed), 0x1p24f + 6);
}

TEST(OrderedSum, LanesStrideThroughTheValuesAndFoldByHalves) {
  // Two lanes: (2^24 + 1 + 1 + 1) + (1 + 1 + 1) = 2^24 + 3, a tie that rounds to even.
  EXPECT_EQ((lane_sum<2, float>(kTelling)), 0x1p24f + 4);
  // Four lanes hold 2^24 (+1), 1 + 1, 1 + 1, 1; folding gives 2^24 + 2 and 3, together a tie that rounds up.
  EXPECT_EQ((lane_sum<4, float>(kTelling)), 0x1p24f + 4);
  EXPECT_EQ((lane_sum<1, float>(kTelling)), sequential_sum<float>(kTelling));
  const std::vector<float> lanes = {0x1p24f, 1, -0x1p24f,
                                    1};  // lanes 0 and 2 cancel before lanes 1 and 3 join
  EXPECT_EQ((lane_sum<4, float>(lanes)), 2);
  EXPECT_EQ(sequential_sum<float>(lanes), 1);
}

TEST(OrderedSum, PairwiseGivesTheFirstHalfTheOddValue) {
  // (((2^24 + 1) + (1 + 1)) + ((1 + 1) + 1)) = (2^24 + 2) + 3, a tie that rounds up.
  EXPECT_EQ(pairwise_sum<float>(kTelling), 0x1p24f + 4);
  const std::vector<float> three = {1, 0x1p24f, -0x1p24f};
  EXPECT_EQ(pairwise_sum<float>(three), 0);
}

TEST(OrderedSum, KeepsDoublePrecisionForDoubles) {
  const std::vector<double> values = {0x1p24, 1, 0x1p-20};
  EXPECT_EQ(sequential_sum<double>(values), 0x1p24 + 1 + 0x1p-20);
  EXPECT_EQ((lane_sum<8, double>(values)), 0x1p24 + 1 + 0x1p-20);
  EXPECT_EQ(pairwise_sum<double>(values), 0x1p24 + 1 + 0x1p-20);
}

TEST(OrderedSum, OfNothingIsZero) {
  EXPECT_EQ(sequential_sum<float>({}), 0);
  EXPECT_EQ((lane_sum<8, float>({})), 0);
  EXPECT_EQ(pairwise_sum<double>({}), 0);
}

}  // namespace
}  // namespace plumbline
