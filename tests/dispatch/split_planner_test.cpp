#include "gpu/dispatch/split_planner.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline::dispatch {
namespace {

using Starts = std::vector<std::int64_t>;
using Segments = std::vector<Segment>;

TEST(SplitPlanner, AShortPrefixAndALongRequest) {
  EXPECT_EQ(plan_segments(Starts{0, 5, 10, 1034}, 512), (Segments{{{0, 10}, {}}, {{10, 1034}, 2}}));
}

TEST(SplitPlanner, ALongRequestBetweenShortOnes) {
  EXPECT_EQ(plan_segments(Starts{0, 5, 1029, 1034}, 512),
            (Segments{{{0, 5}, {}}, {{5, 1029}, 1}, {{1029, 1034}, {}}}));
}

TEST(SplitPlanner, TwoLongRequestsStayApart) {
  EXPECT_EQ(plan_segments(Starts{0, 600, 1200}, 512), (Segments{{{0, 600}, 0}, {{600, 1200}, 1}}));
}

TEST(SplitPlanner, EmptyRequestsAreSkipped) {
  EXPECT_EQ(plan_segments(Starts{0, 0, 5, 5, 700}, 512), (Segments{{{0, 5}, {}}, {{5, 700}, 3}}));
}

TEST(SplitPlanner, ShortRequestsAloneAreOneSegment) {
  EXPECT_EQ(plan_segments(Starts{0, 5, 10, 15}, 512), (Segments{{{0, 15}, {}}}));
}

TEST(SplitPlanner, LongBeginsAtTheMinimum) {
  EXPECT_EQ(plan_segments(Starts{0, 511, 1023, 1536}, 512),
            (Segments{{{0, 511}, {}}, {{511, 1023}, 1}, {{1023, 1536}, 2}}));
}

TEST(SplitPlanner, NoRowsGiveNoSegment) { EXPECT_TRUE(plan_segments(Starts{0, 0, 0}, 512).empty()); }

RC_GTEST_PROP(SplitPlanner, SegmentsPartitionTheRows, ()) {
  const auto rows = *rc::gen::container<Starts>(rc::gen::inRange<std::int64_t>(0, 40));
  const auto min_rows = *rc::gen::inRange<std::int64_t>(-1, 40);
  Starts starts = {0};
  for (const std::int64_t count : rows) starts.push_back(starts.back() + count);
  std::int64_t end = 0;
  bool before_was_short = false;
  for (const Segment& segment : plan_segments(starts, min_rows)) {
    RC_ASSERT(segment.rows.begin == end);
    RC_ASSERT(segment.rows.size() > 0);
    RC_ASSERT(!(before_was_short && !segment.request));
    if (segment.request) {
      const auto r = static_cast<std::size_t>(*segment.request);
      RC_ASSERT(segment.rows == (Range{starts[r], starts[r + 1]}));
      RC_ASSERT(segment.rows.size() >= min_rows);
    }
    before_was_short = !segment.request;
    end = segment.rows.end;
  }
  RC_ASSERT(end == starts.back());
}

}  // namespace
}  // namespace plumbline::dispatch
