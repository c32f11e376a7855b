#include "gpu/select/fused_geometry.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline::gpu {
namespace {

constexpr int kMultiprocessors = 132, kTileRows = 128, kTileKeys = 64;

RC_GTEST_PROP(FusedGeometry, ABlockOfALaunchFindsAMultiprocessorOfItsOwn,
              (std::uint32_t rows_seed, std::uint32_t columns_seed, std::uint32_t k_seed)) {
  const std::int64_t rows = 1 + (rows_seed & 0xFFFF);
  const std::int32_t columns = static_cast<std::int32_t>(1 + (columns_seed & 0xFFFFF)),
                     k = static_cast<std::int32_t>(1 + (k_seed & 1023));
  const FusedGeometry g = fused_geometry(rows, columns, k, kMultiprocessors);
  RC_ASSERT(g.chunk_rows >= 1 && g.chunk_rows <= rows);
  RC_ASSERT((g.chunk_rows + kTileRows - 1) / kTileRows * g.splits <= kMultiprocessors);
  RC_ASSERT(g.splits <= (columns + kTileKeys - 1) / kTileKeys);
  // A warp holds a row's whole sample.
  RC_ASSERT(g.sample_per_split % 8 == 0 && g.sample_per_split >= 8);
  RC_ASSERT(g.splits * g.sample_per_split <= 4096);
  // 32 lists a part: room for all k winners, were they in one thread's lists of every part.
  RC_ASSERT((g.parts << g.slots_log2) >= k);
  RC_ASSERT(!g.small_buffer || k <= 512);
}

TEST(FusedGeometry, FewRowsShareTheirGroups) {
  EXPECT_TRUE(fused_geometry(32, 65536, 512, kMultiprocessors).few_rows);
  EXPECT_FALSE(fused_geometry(33, 65536, 512, kMultiprocessors).few_rows);
  EXPECT_EQ(fused_geometry(1, 65536, 512, kMultiprocessors).splits, kMultiprocessors);
}

TEST(FusedGeometry, LongStepsAreCutIntoLaunchesOfFourSplits) {
  const FusedGeometry g = fused_geometry(100'000, 65536, 512, kMultiprocessors);
  EXPECT_EQ(g.chunk_rows, 33 * kTileRows);
  EXPECT_EQ(g.splits, 4);
}

}  // namespace
}  // namespace plumbline::gpu
