#include "reference/summation/rank_reduction.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Partials = std::vector<std::vector<float>>;

// 2^24 + 1 is lost unless the ones meet first.
const Partials kPartials = {{0x1p24f, 0x1p24f, 0x1p24f}, {1, 1, 1}, {1, 1, 1}};

TEST(RankReduction, ARingStartsEachChunkBehindTheRankThatEndsIt) {
  // Chunk 0: 1 + 1 + 2^24; chunk 1: 1 + 2^24 + 1; chunk 2: 2^24 + 1 + 1.
  EXPECT_EQ(all_reduced(RankOrder::ring, 0, kPartials), (std::vector<float>{0x1p24f + 2, 0x1p24f, 0x1p24f}));
  EXPECT_EQ(rank_tree(RankOrder::ring, 3, 0, 0, 3).text(), "0 + (1 + 2)");
  EXPECT_EQ(rank_tree(RankOrder::ring, 3, 0, 1, 3).text(), "0 + 2 + 1");
}

TEST(RankReduction, ARingAndATreeLeaveTheSameBitsOnAllRanks) {
  for (const RankOrder order : {RankOrder::ring, RankOrder::tree}) {
    for (std::int64_t rank = 1; rank < 3; ++rank)
      EXPECT_EQ(all_reduced(order, rank, kPartials), all_reduced(order, 0, kPartials)) << name_of(order);
  }
}

TEST(RankReduction, RanksThatAddTheirOwnFirstMayDiffer) {
  EXPECT_EQ(all_reduced(RankOrder::own_first, 0, kPartials)[0], 0x1p24f);
  EXPECT_EQ(all_reduced(RankOrder::own_first, 1, kPartials)[0], 0x1p24f + 2);
}

TEST(RankReduction, EachRankAddsItsColumnsOfEveryExpertInTurn) {
  const std::vector<float> x0 = {1, 2, 3, 4}, x1 = {5, 6, 7, 8};
  const std::vector<float> w0 = {1, 1, 1, 1, 1, 0, 0, 0}, w1 = {1, 1, 1, 1, 0, 0, 0, 1};
  const std::vector<Projection> experts = {{x0, w0, 2}, {x1, w1, 10}};
  const RankPlan plan = {contiguous_partition(4, 2), {}, DType::float32};
  EXPECT_EQ(rank_partials<float>(plan, experts, 2), (Partials{{6 + 110, 2}, {14 + 150, 80}}));
}

TEST(RankReduction, ExchangesPartialsInTheirType) {
  const std::vector<float> x = {256, 1, 1}, w = {1, 1, 1};
  const std::vector<Projection> one = {{x, w, 1}};
  const RankPlan plan = {{{0, 1}, {2}}, {}, DType::bfloat16};
  EXPECT_EQ(rank_partials<float>(plan, one, 1), (Partials{{256}, {1}}));
}

}  // namespace
}  // namespace plumbline
