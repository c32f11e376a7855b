#include "reference/select/nth_largest.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

float by_sorting(std::vector<float> values, std::int64_t rank) {
  std::sort(values.begin(), values.end(), std::greater<>());
  return values[static_cast<std::size_t>(rank - 1)];
}

RC_GTEST_PROP(NthLargest, IsWhatSortingGives, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 1500);
  const auto distinct = *rc::gen::element(1, 2, 40, 1 << 20);
  const auto values = *rc::gen::container<std::vector<float>>(
      count, rc::gen::map(rc::gen::inRange(-distinct, distinct + 1),
                          [](int n) { return static_cast<float>(n) * 0x1p-10F; }));
  NthLargest nth_largest;
  for (const std::int64_t rank : {std::int64_t{1}, static_cast<std::int64_t>(count),
                                  *rc::gen::inRange<std::int64_t>(1, static_cast<std::int64_t>(count) + 1)}) {
    RC_ASSERT(nth_largest(values, rank) == by_sorting(values, rank));
  }
}

TEST(NthLargest, EveryRankOfManyValues) {
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.0F);
  std::reverse(values.begin() + 300, values.end());
  NthLargest nth_largest;
  for (std::int64_t rank = 1; rank <= 1000; ++rank) EXPECT_EQ(nth_largest(values, rank), 1000 - rank);
}

// The sample takes every fifteenth value: all of it lies above, or below, the rest.
TEST(NthLargest, SampleThatMissesTheRank) {
  constexpr std::size_t count = 960, step = 15;
  for (const float odd_one : {100.0F, -100.0F}) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = i % step == 0 ? odd_one : static_cast<float>(i % 7) * 0.5F;
    NthLargest nth_largest;
    for (std::int64_t rank = 1; rank <= static_cast<std::int64_t>(count); ++rank)
      ASSERT_EQ(nth_largest(values, rank), by_sorting(values, rank)) << rank;
  }
}

}  // namespace
}  // namespace plumbline
