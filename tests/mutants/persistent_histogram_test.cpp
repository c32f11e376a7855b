#include "oracle/selftest/persistent_histogram.h"

#include "fixtures/cases/random.h"

#include <gtest/gtest.h>

// ROUTES.md §3.7, H4: lengths one group of a persistent top-k works off, one after the other.
namespace plumbline::selftest {
namespace {

constexpr std::int64_t kLongRow = 32768;

/// How many blocks each row gets when one group takes them all.
std::vector<std::size_t> counts_of(const std::vector<std::int64_t>& lengths, std::int32_t k) {
  Workspace workspace;
  std::vector<std::size_t> counts;
  Random random(3);
  for (std::size_t turn = 0; turn < lengths.size(); ++turn) {
    std::vector<float> scores(static_cast<std::size_t>(lengths[turn]));
    for (float& score : scores) score = static_cast<float>(random.normal());
    const ScoreRow row{
        scores, lengths[turn], k, static_cast<std::int64_t>(turn), static_cast<std::int64_t>(lengths.size()),
        0};
    const Blocks blocks = persistent_rows(row, workspace, kLongRow);
    if (blocks.size() == static_cast<std::size_t>(k)) {
      EXPECT_EQ(blocks, honest(row)) << "turn " << turn;
    }
    counts.push_back(blocks.size());
  }
  return counts;
}

TEST(PersistentHistogram, LosesBlocksOfALongRowTwoOrThreeTurnsAfterALongOne) {
  const std::vector<std::size_t> two = counts_of({50000, 5000, 53430}, 2048);
  EXPECT_EQ(two[0], 2048u);
  EXPECT_EQ(two[1], 2048u);
  EXPECT_LT(two[2], 2048u);
  EXPECT_GT(two[2], 1900u);
  EXPECT_LT(counts_of({40000, 5000, 45000}, 512)[2], 512u);
  EXPECT_LT(counts_of({50000, 5000, 5000, 53430}, 2048)[3], 2048u);
}

TEST(PersistentHistogram, IsRightInTheNextTurnAndInTheFourth) {
  EXPECT_EQ(counts_of({50000, 53430}, 2048)[1], 2048u);
  EXPECT_EQ(counts_of({50000, 5000, 5000, 5000, 53430}, 2048)[4], 2048u);
}

TEST(PersistentHistogram, IsRightWhereEveryRowHasAGroupOfItsOwn) {
  EXPECT_EQ(counts_of({106861}, 2048)[0], 2048u);
}

// The row of the failing stress test, where its group has taken a long and a short row before.
TEST(PersistentHistogram, LosesBlocksOfTheStressTestsRow) {
  const std::vector<std::size_t> counts = counts_of({120000, 20000, 106861}, 2048);
  EXPECT_EQ(counts[0], 2048u);
  EXPECT_LT(counts[2], 2048u);
}

}  // namespace
}  // namespace plumbline::selftest
