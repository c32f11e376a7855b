#include "reference/model/visibility.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(Visibility, CountsCompleteBlocksUpToTheQuery) {
  // MODEL.md §2, table of query positions.
  constexpr std::int64_t kLong = 1 << 20;
  const std::int64_t expected[][2] = {{0, 0},      {2, 0},      {3, 1},      {4, 1},
                                      {2046, 511}, {2050, 512}, {2051, 513}, {2054, 513}};
  for (const auto& [position, blocks] : expected) EXPECT_EQ(visible_blocks(position, kLong, 4), blocks);
}

TEST(Visibility, IsLimitedByTheSequenceLength) {
  EXPECT_EQ(visible_blocks(3000, 2049, 4), 512);
  EXPECT_EQ(visible_blocks(3000, 0, 4), 0);
  EXPECT_EQ(visible_blocks(INT64_MAX, 40, 4), 10);
}

TEST(Visibility, IsNeverNegative) {
  for (const std::int64_t position : {-1, -2, -5, -1000}) EXPECT_EQ(visible_blocks(position, 100, 4), 0);
  EXPECT_EQ(visible_blocks(10, -3, 4), 0);
}

}  // namespace
}  // namespace plumbline
