#include "oracle/summation/rank_trial.h"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

const std::vector<RankOutcome>& outcomes() {
  static const std::vector<RankOutcome> all =
      try_ranks(ModelCapture(PLUMBLINE_SOURCE_DIR "/fixtures/golden/tiny_bf16.h5"));
  return all;
}

TEST(RankTrial, PutsBothProjectionsOnRanksInEveryOrder) {
  ASSERT_EQ(outcomes().size(), 2u * 2 * 5 * 3);  // projections, partial types, rank counts, orders
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

TEST(RankTrial, OneRankIsTheUnsplitResult) {
  for (const RankOutcome& outcome : outcomes()) {
    if (outcome.ranks != 1) continue;
    EXPECT_EQ(outcome.selections_parted, 0) << outcome.projection;
    EXPECT_EQ(outcome.ranks_differ, 0) << outcome.projection;
  }
}

/// 2^24, 1 and 1 on a rank each; above 2^24 something else is selected. (2^24 + 1) + 1 loses both ones.
RankedProjection fragile() {
  RankedProjection projection;
  projection.name = "fragile";
  projection.selects = "a side of 2^24";
  projection.inner = 3;
  projection.outputs = 1;
  const auto ones = std::make_shared<const std::vector<float>>(3, 1.0f);
  projection.tokens.push_back({{{0x1p24f, 1, 1}}, {ones}, {1}});
  projection.select = [](const Rows<double>& output) {
    return Selections{{output.numbers[0] > 0x1p24 ? 1 : 0}};
  };
  return projection;
}

RankOutcome of_three(RankOrder order) {
  for (const RankOutcome& outcome : try_ranks(fragile(), DType::float32)) {
    if (outcome.ranks == 3 && outcome.order == order) return outcome;
  }
  return {};
}

TEST(RankTrial, CountsTheTokensThatSelectOtherwiseOnAnotherRank) {
  const RankOutcome own = of_three(RankOrder::own_first);
  EXPECT_EQ(own.ranks_differ, 1);
  EXPECT_EQ(own.selections_differ, 1);
  EXPECT_EQ(own.selections_parted, 0) << "rank 0 adds as without ranks";
}

TEST(RankTrial, CountsTheTokensThatSelectOtherwiseThanWithoutRanks) {
  const RankOutcome ring = of_three(RankOrder::ring), tree = of_three(RankOrder::tree);
  EXPECT_EQ(ring.selections_parted, 1) << "1 + 1 meet first";
  EXPECT_EQ(tree.selections_parted, 0);
  EXPECT_EQ(ring.selections_differ + tree.selections_differ, 0);
  EXPECT_EQ(ring.beyond + tree.beyond, 0);
}

TEST(RankedProjection, KeepsAHeadOnOneRank) {
  RankedProjection projection;
  projection.inner = 6;
  projection.granule = 2;
  EXPECT_EQ(projection.on_ranks(2), (Partition{{0, 1}, {2, 3, 4, 5}}));
  EXPECT_EQ(projection.on_ranks(4)[0], (std::vector<std::int32_t>{}));
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
