#include "gpu/index/index_ring.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline::gpu {
namespace {

TEST(IndexRing, HoldsAGroupAndTheDrafts) {
  EXPECT_EQ(ring_rows_for(4, 0), 4);
  EXPECT_EQ(ring_rows_for(4, 1), 8);
  EXPECT_EQ(ring_rows_for(4, 4), 8);
  EXPECT_EQ(ring_rows_for(4, 5), 12);
}

/// Slot by slot: the keys the accepted open group needs have not been overwritten.
bool survives(std::int32_t rows, std::int32_t ratio, std::int64_t written, std::int64_t accepted) {
  for (std::int64_t place = accepted / ratio * ratio; place < accepted; ++place) {
    for (std::int64_t later = place + 1; later < written; ++later)
      if (later % rows == place % rows) return false;
  }
  return true;
}

RC_GTEST_PROP(IndexRing, ReachesBackToWhereItsKeysSurvive,
              (std::uint8_t ratio_seed, std::uint8_t rows_seed, std::uint8_t written_seed,
               std::uint8_t seed)) {
  const std::int32_t ratio = 1 + ratio_seed % 8, rows = ratio * (1 + rows_seed % 4);
  const std::int64_t written = written_seed % 100, accepted = written > 0 ? seed % (written + 1) : 0;
  if (ring_reaches_back(rows, ratio, written, accepted)) RC_ASSERT(survives(rows, ratio, written, accepted));
}

RC_GTEST_PROP(IndexRing, ServesEveryRollBackItIsMadeFor,
              (std::uint8_t ratio_seed, std::uint8_t drafts_seed, std::uint16_t start, std::uint8_t kept)) {
  const std::int32_t ratio = 1 + ratio_seed % 8, drafts = drafts_seed % 9;
  const std::int64_t written = std::int64_t{start} + drafts, accepted = start + kept % (drafts + 1);
  RC_ASSERT(ring_reaches_back(ring_rows_for(ratio, drafts), ratio, written, accepted));
}

TEST(IndexRing, OfOneGroupLosesKeysToADraft) {  // CASES.md C2
  EXPECT_FALSE(ring_reaches_back(4, 4, 9, 7));
  EXPECT_FALSE(survives(4, 4, 9, 7));
  EXPECT_TRUE(ring_reaches_back(4, 4, 9, 4));
}

}  // namespace
}  // namespace plumbline::gpu
