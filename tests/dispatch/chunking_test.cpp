#include "gpu/dispatch/chunking.h"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline::dispatch {
namespace {

TEST(RowChunks, FillTheWorkspaceOf128MiB) {
  EXPECT_EQ(rows_per_chunk(7'250), 4'628);
  EXPECT_EQ(rows_per_chunk(46'000), 729);
  EXPECT_EQ(rows_per_chunk(62'487), 536);
}

TEST(RowChunks, TurnAtTheExactSize) {
  EXPECT_EQ(rows_per_chunk(32'768), 1'024);
  EXPECT_EQ(rows_per_chunk(32'767), 1'024);
  EXPECT_EQ(rows_per_chunk(32'769), 1'023);
}

TEST(RowChunks, HoldAtLeastOneRow) {
  EXPECT_EQ(rows_per_chunk(33'554'432), 1);
  EXPECT_EQ(rows_per_chunk(33'554'433), 1);
  EXPECT_EQ(rows_per_chunk(4'294'967'295), 1);
}

TEST(ColumnTiles, FollowTheWorkedExamples) {
  EXPECT_EQ(tile_columns(7'250, 1'616, 4, 64), 2'560);
  EXPECT_EQ(tile_columns(46'000, 729, 4, 64), 5'632);
  EXPECT_EQ(tile_columns(46'000, 158, 4, 64), 26'368);
}

TEST(ColumnTiles, AreAtLeast256AndAMultipleOf256) {
  EXPECT_EQ(tile_columns(600, 512, 4, 64), 512);
  EXPECT_EQ(tile_columns(100, 512, 4, 64), 256);
  EXPECT_EQ(tile_columns(46'000, 1'616, 4, 0), 256);
  EXPECT_EQ(tile_columns(46'000, 1'616, 4, -1), 256);
}

TEST(ColumnTiles, SurviveAnyTileSize) {
  EXPECT_EQ(tile_columns(46'000, 1'616, 4, std::numeric_limits<std::int64_t>::max()), 45'824);
  EXPECT_EQ(tile_columns(46'000, 1'616, 4, std::numeric_limits<std::int64_t>::min()), 256);
}

TEST(LiveColumns, AreTheVisibleBlocksBetween512AndTheCapacity) {
  EXPECT_EQ(live_columns(511, 65'650), 512);
  EXPECT_EQ(live_columns(513, 65'650), 513);
  EXPECT_EQ(live_columns(46'000, 40'000), 40'000);
  EXPECT_EQ(live_columns(0, 300), 300);
}

RC_GTEST_PROP(Partition, PiecesJoinWithoutGapOrOverlap, ()) {
  const auto total = *rc::gen::inRange<std::int64_t>(0, 5'000);
  const auto piece = *rc::gen::inRange<std::int64_t>(1, 600);
  const Partition partition{total, piece};
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < partition.count(); ++i) {
    const Range range = partition.range(i);
    RC_ASSERT(range.begin == end);
    RC_ASSERT(range.size() > 0);
    RC_ASSERT(range.size() <= piece);
    end = range.end;
  }
  RC_ASSERT(end == total);
  RC_ASSERT(partition.full_pieces() * piece + partition.remainder() == total);
}

RC_GTEST_PROP(RowChunks, NeverExceedTheWorkspaceUnlessOneRowDoes, ()) {
  const auto columns = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 32);
  const std::int64_t rows = rows_per_chunk(columns);
  RC_ASSERT(rows >= 1);
  RC_ASSERT(rows == 1 || rows * columns * 4 <= 134'217'728);
  RC_ASSERT((rows + 1) * columns * 4 > 134'217'728);
}

}  // namespace
}  // namespace plumbline::dispatch
