#include "gpu/select/score_cublas.h"
#include "gpu/select/select_paged_tokens.h"
#include "gpu/select/topk_persistent.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline::gpu {
namespace {

RC_GTEST_PROP(PersistentGeometry, PartsCoverTheRowAndOnlyTheLastIsShort,
              (std::int64_t rows_seed, std::int32_t columns_seed, std::int32_t k_seed)) {
  const std::int64_t rows = 1 + (rows_seed & 0xFFF);
  const std::int32_t columns = 1 + (columns_seed & 0xFFFFF), k = 1 + (k_seed & 2047);
  const PersistentGeometry g = persistent_geometry(rows, columns, k, 396);
  RC_ASSERT(g.parts >= 1);
  RC_ASSERT(std::int64_t{g.parts} * g.part_columns >= columns);
  RC_ASSERT(std::int64_t{g.parts - 1} * g.part_columns < columns);
  if (g.parts > 1) {
    RC_ASSERT(g.part_columns >= 2 * k);  // so that every part but the last leaves exactly k winners
    RC_ASSERT(g.part_columns % 4 == 0);
    RC_ASSERT(rows * g.parts <= 396);
  }
}

TEST(PersistentGeometry, LeavesManyRowsWhole) {
  EXPECT_EQ(persistent_geometry(1616, 262144, 512, 396).parts, 1);
  EXPECT_EQ(persistent_geometry(1, 262144, 512, 396).parts, 64);
}

TEST(PersistentGeometry, SpreadsTheSeedsFailingRow) {
  const PersistentGeometry g = persistent_geometry(1, 106861, 2048, 396);
  EXPECT_EQ(g.parts, 26);
  EXPECT_EQ(g.part_columns, 4112);
}

TEST(PersistentGeometry, GivesAnEmptyRowOnePart) { EXPECT_EQ(persistent_geometry(3, 0, 512, 396).parts, 1); }

TEST(ProductTile, FollowsTheWorkedExamples) {
  const std::int64_t tile = std::int64_t{64} << 20;
  EXPECT_EQ(product_tile_columns(1616, 7250, tile), 2560);
  EXPECT_EQ(product_tile_columns(729, 46000, tile), 5632);
  EXPECT_EQ(product_tile_columns(158, 46000, tile), 26368);
}

TEST(ProductTile, NeverFallsBelow256ColumnsNorBehindTheKeys) {
  EXPECT_EQ(product_tile_columns(1 << 20, 46000, 1 << 20), 256);
  EXPECT_EQ(product_tile_columns(1, 7250, std::int64_t{1} << 40), 7256);
  EXPECT_EQ(product_tile_columns(1, 5, 1 << 20), 8);
}

TEST(RowChunks, FollowTheWorkedExamples) {
  const std::int64_t bytes = 134217728;
  EXPECT_EQ(rows_per_chunk(1616, 46000, bytes), 729);
  EXPECT_EQ(rows_per_chunk(1616, 62487, bytes), 536);
  EXPECT_EQ(rows_per_chunk(1616, 7250, bytes), 1616);
}

TEST(RowChunks, HoldAtLeastOneRowAndDoNotOverflow) {
  EXPECT_EQ(rows_per_chunk(10, 1 << 30, 1 << 20), 1);
  EXPECT_EQ(rows_per_chunk(std::int64_t{1} << 33, 262144, std::int64_t{1} << 40), std::int64_t{1} << 20);
}

}  // namespace
}  // namespace plumbline::gpu
