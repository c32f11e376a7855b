#include "oracle/replay/tap_report.h"

#include <limits>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TapReport compared(Bounded ours, double recorded) {
  Rows<Bounded> mine(1, 1);
  mine.numbers = {ours};
  Rows<double> theirs(1, 1);
  theirs.numbers = {recorded};
  TapComparison comparison("0000", "tap", "operation", DType::float32);
  comparison.add(mine, theirs, 0, 0);
  return comparison.report();
}

TEST(TapComparison, ABoundThatIsNotFiniteIsNone) {
  EXPECT_EQ(compared({1, 0.5}, 1.25).beyond_bound, 0);
  EXPECT_EQ(compared({1, 0.5}, 2).beyond_bound, 1);
  EXPECT_EQ(compared({1, std::numeric_limits<double>::infinity()}, 2).beyond_bound, 1);
  EXPECT_EQ(compared({1, std::numeric_limits<double>::quiet_NaN()}, 2).beyond_bound, 1);
  EXPECT_EQ(compared({1, std::numeric_limits<double>::quiet_NaN()}, 1).beyond_bound, 0);
}

TEST(TapComparison, TellsADifferenceInUnitsOfTheLargestPartialSum) {
  EXPECT_EQ(compared({1, 1, 1024}, 1 + 0x1p-13).max_partial_ulp, 1);
  EXPECT_EQ(compared({1, 1}, 1 + 0x1p-13).max_partial_ulp, 1024);
  EXPECT_EQ(compared({1, 1, 1024}, 1).max_partial_ulp, 0);
}

}  // namespace
}  // namespace plumbline
