#include "oracle/summation/rank_trial.h"

#include "fixtures/error.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

const std::vector<RankOutcome>& outcomes() {
  static const std::vector<RankOutcome> all =
      try_ranks(ModelCapture(PLUMBLINE_SOURCE_DIR "/fixtures/golden/tiny_bf16.h5"));
  return all;
}

TEST(RankTrial, PutsBothProjectionsOnRanksInEveryOrder) {
  ASSERT_EQ(outcomes().size(), 2u * 2 * 4 * 3);  // projections, partial types, rank counts, orders
  for (const RankOutcome& outcome : outcomes()) {
    EXPECT_EQ(outcome.tokens, 96);
    EXPECT_EQ(outcome.elements, 96 * 64);
    EXPECT_GT(outcome.share, 0.2) << outcome.projection << " on " << outcome.ranks;
  }
  EXPECT_EQ(outcomes().front().projection, "layer 3 o_proj");
  EXPECT_EQ(outcomes().back().projection, "layer 2 moe_down");
  EXPECT_EQ(outcomes().back().selects, "blocks of layer 3");
}

TEST(RankTrial, StaysWithinTheBounds) {
  for (const RankOutcome& outcome : outcomes()) {
    EXPECT_EQ(outcome.beyond, 0) << outcome.projection;
    EXPECT_LE(outcome.share, 1) << outcome.projection;
  }
}

TEST(RankTrial, RanksOfARingOrATreeAgreeToTheBitAndSelectTheSame) {
  for (const RankOutcome& outcome : outcomes()) {
    if (outcome.order == RankOrder::own_first) continue;
    EXPECT_EQ(outcome.ranks_differ, 0) << outcome.projection << " " << name_of(outcome.order);
    EXPECT_EQ(outcome.selections_differ, 0) << outcome.projection << " " << name_of(outcome.order);
  }
}

TEST(RankTrial, SeesThatRanksDifferWhichAddTheirOwnPartialFirst) {
  const auto differ = std::ranges::count_if(outcomes(), [](const RankOutcome& outcome) {
    return outcome.order == RankOrder::own_first && outcome.ranks > 2 && outcome.partial == DType::float32 &&
           outcome.ranks_differ > 0;
  });
  EXPECT_EQ(differ, 6);
}

TEST(RankOutcome, IsUnsoundWhereRanksOfARingDisagreeOrABoundIsLeft) {
  RankOutcome outcome;
  EXPECT_TRUE(outcome.sound());
  outcome.selections_differ = 1;
  EXPECT_FALSE(outcome.sound());
  outcome.order = RankOrder::own_first;
  EXPECT_TRUE(outcome.sound());
  outcome.beyond = 1;
  EXPECT_FALSE(outcome.sound());
}

}  // namespace
}  // namespace plumbline
