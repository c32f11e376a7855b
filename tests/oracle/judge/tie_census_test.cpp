#include "oracle/judge/tie_census.h"

#include "oracle/judge/tie_census_builder.h"
#include "tests/oracle/judge/small_problem.h"

#include <bit>
#include <limits>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using testing_judge::Claim;
using testing_judge::SmallProblem;

TEST(CoarseKey, PutsTheBinEdgesOfOneWhereFp16RoundsThem) {
  // TOPK.md §2: the 8-bit bin of 1.0 is [0.999755859, 1.2495116], the 11-bit one ends at 1.0307616.
  const auto bin = [](float score, int bits) { return coarse_key(score) >> (16 - bits); };
  EXPECT_EQ(bin(0.999755859375f, 8), bin(1.0f, 8));
  EXPECT_LT(bin(0.99975580f, 8), bin(1.0f, 8));
  EXPECT_EQ(bin(1.2495116f, 8), bin(1.0f, 8));
  EXPECT_GT(bin(1.2495118f, 8), bin(1.0f, 8));
  EXPECT_EQ(bin(1.0307616f, 11), bin(1.0f, 11));
  EXPECT_GT(bin(1.0307618f, 11), bin(1.0f, 11));
}

TEST(CoarseKey, SeparatesTheZerosMergesTheHugeAndLosesTheSignOfNaN) {
  EXPECT_EQ(coarse_key(-0.0f), 0x7FFF);
  EXPECT_EQ(coarse_key(0.0f), 0x8000);
  EXPECT_EQ(coarse_key(65520.0f), coarse_key(std::numeric_limits<float>::infinity()));
  EXPECT_LT(coarse_key(65519.0f), coarse_key(65520.0f));
  EXPECT_EQ(coarse_key(std::bit_cast<float>(0xFFC00000u)), coarse_key(std::bit_cast<float>(0x7FC00000u)));
  EXPECT_GT(coarse_key(std::bit_cast<float>(0xFFC00000u)),
            coarse_key(std::numeric_limits<float>::infinity()));
}

TEST(CoarseKey, NeverDecreasesWithTheScore) {
  std::uint16_t last = 0;
  for (const float score :
       {-70000.0f, -65504.0f, -3.0f, -1e-8f, 0.0f, 1e-8f, 6e-8f, 1e-5f, 0.1f, 3.0f, 65504.0f}) {
    EXPECT_GE(coarse_key(score), last) << score;
    last = coarse_key(score);
  }
}

/// Construction T1 of TOPK.md §2: float32 codes from 1.0 on, all distinct and all in one coarse bin.
std::vector<float> one_bin(std::int64_t count) {
  std::vector<float> scores;
  for (std::int64_t i = 0; i < count; ++i) {
    scores.push_back(std::bit_cast<float>(0x3F800000u + static_cast<std::uint32_t>(i)));
  }
  return scores;
}

TEST(ScoreCensus, CountsTheBinThatHoldsTheCutoff) {
  std::vector<float> scores = one_bin(100);
  scores.insert(scores.end(), {2.0f, 3.0f, 0.5f});
  const ScoreCensus census = score_census(scores, 10);
  EXPECT_EQ(census.bins, std::vector<std::int64_t>(published_buffers().size(), 100));
  EXPECT_EQ(score_census(scores, 1).bins.front(), 1);
  EXPECT_EQ(score_census(scores, 102).bins.front(), 100);
}

TEST(ScoreCensus, SeparatesBinsByTheBitsOfEachBuffer) {
  const std::vector<float> scores = {1.0f, 1.02f, 1.1f, 2.5f};  // 1.02 shares 11 bits with 1.0, 1.1 only 8
  const ScoreCensus census = score_census(scores, 3);           // the cutoff is 1.02
  for (std::size_t i = 0; i < published_buffers().size(); ++i) {
    const int bits = published_buffers()[i].coarse_bits;
    EXPECT_EQ(census.bins[i], bits == 8 ? 3 : (bits == 11 ? 2 : 1)) << published_buffers()[i].kernel;
  }
}

TEST(ScoreCensus, MeasuresTheMarginInFloat32Steps) {
  const ScoreCensus apart = score_census(one_bin(5), 2);
  EXPECT_FALSE(apart.tied_at_cutoff);
  EXPECT_EQ(apart.margin_ulp, 1);
  EXPECT_EQ(apart.tie_class, 1);
  const ScoreCensus tied = score_census(std::vector<float>{1, 0, 0, -0.0f, -1}, 2);
  EXPECT_TRUE(tied.tied_at_cutoff);
  EXPECT_TRUE(tied.zero_plateau);
  EXPECT_EQ(tied.margin_ulp, 0);
  EXPECT_EQ(tied.tie_class, 3);
  const ScoreCensus nan = score_census(std::vector<float>{std::numeric_limits<float>::quiet_NaN(), 1, 0}, 1);
  EXPECT_EQ(nan.margin_ulp, -1);
}

TEST(ScoreCensus, CallsOnlyATieOfZerosAZeroPlateau) {
  EXPECT_FALSE(score_census(std::vector<float>{1, 0, -1}, 2).zero_plateau);
  EXPECT_FALSE(score_census(std::vector<float>{1, 1, 0, 0}, 1).zero_plateau);
  EXPECT_TRUE(score_census(std::vector<float>{1, 1, 0, 0}, 3).zero_plateau);
}

class BufferOverflow : public testing::TestWithParam<std::size_t> {};

TEST_P(BufferOverflow, HappensFromOneCandidateMoreThanTheBufferHoldsOn) {
  const PublishedBuffer& buffer = published_buffers()[GetParam()];
  for (const std::int64_t extra : {0, 1}) {
    // Zeros fill the row up to a length the kernel serves.
    std::vector<float> scores = one_bin(buffer.capacity + extra);
    const std::int64_t visible = std::max(buffer.min_blocks, static_cast<std::int64_t>(scores.size()));
    scores.resize(static_cast<std::size_t>(visible), 0.0f);
    TieCensusBuilder builder;
    builder.add_scores(visible, score_census(scores, 512));
    const TieCensus census = builder.finish();
    const auto found = std::find_if(census.overflows.begin(), census.overflows.end(),
                                    [&](const auto& overflow) { return overflow.kernel == buffer.kernel; });
    ASSERT_NE(found, census.overflows.end());
    EXPECT_EQ(found->worst_bin, buffer.capacity + extra);
    EXPECT_EQ(found->rows, extra);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPublished, BufferOverflow, testing::Range<std::size_t>(0, 6));

TEST(PublishedBuffers, AreTheSixThatTheTestsCover) { EXPECT_EQ(published_buffers().size(), 6u); }

TEST(PublishedBuffers, ServeOnlyTheirRowLengths) {
  TieCensusBuilder builder;
  builder.add_scores(9000, score_census(one_bin(9000), 512));
  for (const auto& overflow : builder.finish().overflows)
    EXPECT_NE(overflow.kernel, "vllm persistent <= 8192");
}

TEST(TieCensus, TakesTiesFromExactScoresAndMarginsFromRecordedOnes) {
  SmallProblem problem;
  problem.geometry = {1, 1, 4, 1};
  problem.rows = 4;
  problem.blocks = 4;
  problem.query = {1, 1, -1, 1};
  problem.key = {5, 5, 3, 1};  // rows 0, 1: tied at 5; row 2: all zero; row 3 sees one block
  problem.visible = {4, 3, 4, 1};
  problem.claimed = {0, 0, 0, 0};
  const TieCensus exact = Claim(problem).judge().census;
  EXPECT_EQ(exact.rows, 4);
  EXPECT_EQ(exact.rows_selecting, 3);
  EXPECT_TRUE(exact.has_exact);
  EXPECT_FALSE(exact.has_scores);
  EXPECT_EQ(exact.rows_tied_at_cutoff, 3);
  EXPECT_EQ(exact.rows_zero_plateau, 1);
  EXPECT_EQ(exact.largest_tie_class, 4);
  EXPECT_EQ(exact.min_margin_ulp, -1);
  EXPECT_TRUE(exact.overflows.empty());

  const float one = 1.0f, next = std::bit_cast<float>(0x3F800001u), far = std::bit_cast<float>(0x3F800009u);
  problem.recorded = {next, one, 0, 0, far, one, 0, 0, one, far, 0, 0, 0, 0, 0, 0};
  const TieCensus both = Claim(problem).judge().census;
  EXPECT_EQ(both.rows_tied_at_cutoff, 3);
  EXPECT_TRUE(both.has_scores);
  EXPECT_EQ(both.min_margin_ulp, 1);
  EXPECT_EQ(both.median_margin_ulp, 9);
  const TieCensus recorded = Claim(problem, false).judge().census;
  EXPECT_FALSE(recorded.has_exact);
  EXPECT_EQ(recorded.rows_tied_at_cutoff, 0);
}

TEST(TieCensus, TakesTheLowerMiddleOfAnEvenNumberOfMarginsAndLeavesTiesAndNaNOut) {
  TieCensusBuilder builder;
  for (const std::uint32_t steps : {8u, 1u, 4u, 2u, 0u})
    builder.add_scores(2,
                       score_census(std::vector<float>{1.0f, std::bit_cast<float>(0x3F800000u + steps)}, 1));
  builder.add_scores(2, score_census(std::vector<float>{1.0f, std::numeric_limits<float>::quiet_NaN()}, 1));
  EXPECT_EQ(builder.finish().min_margin_ulp, 1);
  EXPECT_EQ(builder.finish().median_margin_ulp, 2);
}

TEST(TieCensus, CountsNoPlateauWhereTheLastWinnerIsZeroAndNothingTiesWithIt) {
  SmallProblem problem;
  problem.geometry = {1, 1, 4, 2};
  problem.rows = 1;
  problem.blocks = 3;
  problem.query = {1};
  problem.key = {5, -1, 4};
  problem.visible = {3};
  problem.claimed = {0, 1};
  problem.key_valid = {1, 1, 0};
  const TieCensus census = Claim(problem).judge().census;
  EXPECT_EQ(census.rows_tied_at_cutoff, 0);
  EXPECT_EQ(census.rows_zero_plateau, 0);
}

TEST(TieCensus, FindsNoMarginToABlockBehindAnUnmappedPage) {
  SmallProblem problem;
  problem.geometry = {1, 1, 4, 1};
  problem.rows = 1;
  problem.blocks = 3;
  problem.query = {1};
  problem.key = {5, 4, 3};
  problem.visible = {3};
  problem.claimed = {0};
  problem.key_valid = {1, 0, 0};
  const TieCensus left_out = Claim(problem).judge().census;
  EXPECT_EQ(left_out.rows_tied_at_cutoff, 0);
  EXPECT_EQ(left_out.min_margin_ulp, -1);
  problem.key_valid = {0, 0, 0};
  const TieCensus all = Claim(problem).judge().census;
  EXPECT_EQ(all.rows_tied_at_cutoff, 1);
  EXPECT_EQ(all.rows_zero_plateau, 0);
  EXPECT_EQ(all.min_margin_ulp, -1);
}

TEST(TieCensus, RoundsExactScoresToFloat32ForTheMarginWhereNoneAreRecorded) {
  SmallProblem problem;
  problem.geometry = {1, 1, 4, 1};
  problem.rows = 1;
  problem.blocks = 2;
  problem.query = {1};
  problem.key = {1025, 1024};
  problem.visible = {2};
  problem.claimed = {0};
  EXPECT_EQ(Claim(problem).judge().census.min_margin_ulp, 1 << 13);  // float32 steps of 2^-13 from 1024 on
}

}  // namespace
}  // namespace plumbline
