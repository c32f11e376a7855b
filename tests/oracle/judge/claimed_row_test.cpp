#include "oracle/judge/claimed_row.h"

#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Row = std::vector<std::int32_t>;

TEST(ClaimedRow, TakesPaddedAndUnorderedRowsAsSound) {
  const ClaimedRow ordered = read_claimed_row(Row{0, 1, 2, -1}, 3);
  EXPECT_TRUE(ordered.sound());
  EXPECT_TRUE(ordered.ascending);
  const ClaimedRow unordered = read_claimed_row(Row{7, 2, 5}, 9);
  EXPECT_TRUE(unordered.sound());
  EXPECT_FALSE(unordered.ascending);
  EXPECT_EQ(unordered.blocks, (Row{2, 5, 7}));
}

TEST(ClaimedRow, IsAllPaddingWhereNothingIsVisible) {
  EXPECT_TRUE(read_claimed_row(Row{-1, -1}, 0).sound());
  EXPECT_FALSE(read_claimed_row(Row{0, -1}, 0).sound());
}

struct Fault {
  Row entries;
  std::int64_t visible;
  const char* fault;
  std::int64_t bad_entry;
};

class ClaimedRowFault : public testing::TestWithParam<Fault> {};

TEST_P(ClaimedRowFault, IsNamedWithSlotAndBlock) {
  const ClaimedRow row = read_claimed_row(GetParam().entries, GetParam().visible);
  EXPECT_FALSE(row.sound());
  EXPECT_EQ(row.fault, GetParam().fault);
  EXPECT_EQ(row.bad_entry, GetParam().bad_entry);
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, ClaimedRowFault,
    testing::Values(
        Fault{{4, 1, 4}, 9, "slots 0 and 2 both hold block 4", 4},
        Fault{{4, 9, 5}, 9, "slot 1 holds 9, outside the 9 visible blocks", 9},
        Fault{{4, -2, 5}, 9, "slot 1 holds -2, outside the 9 visible blocks", -2},
        Fault{{4, -1, 5}, 9, "slot 2 holds block 5 behind the -1 of slot 1", 5},
        Fault{{4, 5, -1}, 9, "2 of the 3 due blocks are claimed", -1},
        Fault{{-1, -1, -1}, 9, "0 of the 3 due blocks are claimed", -1},
        Fault{{1, 0, 1}, 2, "slots 0 and 2 both hold block 1", 1},
        Fault{{1, INT32_MIN, 0}, 2, "slot 1 holds -2147483648, outside the 2 visible blocks", INT32_MIN},
        Fault{{1, -1, -1}, 2, "1 of the 2 due blocks are claimed", -1}));

}  // namespace
}  // namespace plumbline
