#include "gpu/dispatch/attention_profile.h"

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

constexpr Capability kTuring{7, 5}, kAmpere{8, 0};

/// The real model on one card: 24 query heads, 2 kv heads of 256, so 16 queries per program block.
AttentionGeometry real_model(std::int64_t rows) { return {rows, 24, 2, 256, 2051}; }
/// A quarter of it: 6 query heads, 1 kv head.
AttentionGeometry quarter(std::int64_t rows) { return {rows, 6, 1, 256, 2051}; }

TEST(AttentionProfile, MatchesTheEnginesOwnTests) {
  EXPECT_EQ(attention_launch(quarter(511), kTuring), (AttentionLaunch{16, 4, 4}));
  EXPECT_EQ(attention_launch(quarter(8'192), kTuring), (AttentionLaunch{16, 1, 4}));
  EXPECT_EQ(attention_launch(quarter(511), kAmpere), (AttentionLaunch{64, 4, 2}));
  EXPECT_EQ(attention_launch(quarter(8'192), kAmpere), (AttentionLaunch{64, 1, 2}));
}

TEST(AttentionProfile, TheSmallLimitDependsOnTheGroup) {
  EXPECT_EQ(attention_launch(quarter(8), kTuring).splits, 64);
  EXPECT_EQ(attention_launch(quarter(9), kTuring).splits, 32);
  EXPECT_EQ(attention_launch(real_model(2), kTuring).splits, 64);
  EXPECT_EQ(attention_launch(real_model(3), kTuring).splits, 32);
}

TEST(AttentionProfile, ChangesAtEveryStep) {
  EXPECT_EQ(attention_launch(quarter(31), kTuring), (AttentionLaunch{16, 32, 4}));
  EXPECT_EQ(attention_launch(quarter(32), kTuring), (AttentionLaunch{16, 8, 4}));
  EXPECT_EQ(attention_launch(quarter(256), kTuring), (AttentionLaunch{16, 8, 4}));
  EXPECT_EQ(attention_launch(quarter(257), kTuring), (AttentionLaunch{16, 4, 4}));
  EXPECT_EQ(attention_launch(quarter(512), kTuring), (AttentionLaunch{16, 4, 4}));
  EXPECT_EQ(attention_launch(quarter(513), kTuring), (AttentionLaunch{16, 1, 4}));
  EXPECT_EQ(attention_launch(quarter(31), kAmpere), (AttentionLaunch{16, 32, 4}));
  EXPECT_EQ(attention_launch(quarter(32), kAmpere), (AttentionLaunch{64, 8, 2}));
}

TEST(AttentionProfile, NeverSplitsFinerThanTheTiles) {
  EXPECT_EQ(attention_launch({1, 6, 1, 256, 100}, kTuring).splits, 4);  // 7 tiles of 16
  EXPECT_EQ(attention_launch({1, 6, 1, 256, 1}, kTuring).splits, 1);
}

TEST(AttentionProfile, TakesTwoWarpsForFewRowsOnSevenZero) {
  EXPECT_EQ(attention_launch(quarter(1), {7, 0}).warps, 2);
  EXPECT_EQ(attention_launch(quarter(16), {7, 0}).warps, 2);
  EXPECT_EQ(attention_launch(quarter(17), {7, 0}).warps, 4);
  EXPECT_EQ(attention_launch(quarter(16), kTuring).warps, 4);
  EXPECT_EQ(attention_launch({16, 12, 1, 256, 2051}, {7, 0}).warps, 4);
  EXPECT_EQ(attention_launch({16, 6, 1, 128, 2051}, {7, 0}).warps, 4);
}

TEST(AttentionProfile, DoesNotOverflowWithManyRows) {
  EXPECT_EQ(attention_launch({2'147'483'647, 24, 2, 256, 2051}, kTuring).splits, 1);
}

}  // namespace
}  // namespace plumbline::dispatch
