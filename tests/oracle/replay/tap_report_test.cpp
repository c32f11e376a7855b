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

TEST(TapComparison, CountsElementsByPowersOfTwoOfTheirDistance) {
  const double ulp = 0x1p-23;
  Rows<Bounded> mine(1, 6);
  mine.numbers = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  Rows<double> theirs(1, 6);
  theirs.numbers = {1,           1 + ulp,     1 + 2 * ulp,
                    1 + 3 * ulp, 1 + 4 * ulp, std::numeric_limits<double>::quiet_NaN()};
  TapComparison comparison("0000", "tap", "operation", DType::float32);
  comparison.add(mine, theirs, 0, 0);
  UlpHistogram all = comparison.report().ulp_histogram;
  EXPECT_EQ(all, (UlpHistogram{1, 1, 2, 1}));
  add_to(all, {1, 0, 0, 0, 0, 2});
  EXPECT_EQ(all, (UlpHistogram{2, 1, 2, 1, 0, 2}));
}

}  // namespace
}  // namespace plumbline
