#include "oracle/judge/row_verdict.h"

#include "tests/oracle/judge/small_problem.h"

#include <cmath>
#include <map>
#include <utility>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using testing_judge::Claim;
using testing_judge::SmallProblem;

/// A bound of our choosing per value of a key.
class ChosenBounds final : public ErrorModel {
 public:
  explicit ChosenBounds(std::map<double, double> by_key) : by_key_(std::move(by_key)) {}
  std::string name() const override { return "chosen"; }
  std::string derivation() const override { return "none"; }
  double bound(const TensorView&, const TensorView& key, double) const override {
    return by_key_.at(decode_element(key.dtype, key.at(0)));
  }

 private:
  std::map<double, double> by_key_;
};

/// One row, two of five blocks; exact scores 50, 40, 30, 30, 0. Block 2 is claimed where 1 is due: a gap
/// of 10.
SmallProblem gap_of_ten() {
  SmallProblem problem;
  problem.geometry = {1, 1, 4, 2};
  problem.rows = 1;
  problem.blocks = 5;
  problem.query = {10};
  problem.key = {5, 4, 3, 3, -7};
  problem.visible = {5};
  problem.claimed = {0, 2};
  return problem;
}

SelectionReport judged(const Claim& claim, const ErrorModel& bounds) {
  JudgeOptions options;
  options.error_model = &bounds;
  return claim.judge(options);
}

Verdict verdict_with(double claimed_bound, double missed_bound) {
  const SmallProblem problem = gap_of_ten();
  const ChosenBounds bounds({{3.0, claimed_bound}, {4.0, missed_bound}});
  const SelectionReport report = judged(Claim(problem), bounds);
  return (*report.end_to_end)[Verdict::rounding] == 1 ? Verdict::rounding : Verdict::value_error;
}

TEST(RowVerdict, CountsAGapThatEqualsBothBoundsAsRoundingAndTheNextSmallerBoundNot) {
  EXPECT_EQ(verdict_with(6.0, 4.0), Verdict::rounding);
  EXPECT_EQ(verdict_with(4.0, 6.0), Verdict::rounding);
  EXPECT_EQ(verdict_with(std::nextafter(6.0, 0.0), 4.0), Verdict::value_error);
  EXPECT_EQ(verdict_with(6.0, std::nextafter(4.0, 0.0)), Verdict::value_error);
  EXPECT_EQ(verdict_with(10.0, 0.0), Verdict::rounding);
  EXPECT_EQ(verdict_with(0.0, 10.0), Verdict::rounding);
}

TEST(RowVerdict, AddsTheBoundsOfBothBlocksInTheWitness) {
  const SmallProblem problem = gap_of_ten();
  const ChosenBounds bounds({{3.0, 1.0}, {4.0, 6.5}});
  const SelectionReport report = judged(Claim(problem), bounds);
  ASSERT_EQ(report.witnesses.size(), 1u);
  EXPECT_EQ(report.witnesses.front().allowed, 7.5);
  EXPECT_EQ(report.error_model, "chosen");
}

TEST(RowVerdict, RoundsABoundBelowTheExactUnitUp) {
  // Exact scores are multiples of 2^-298, here 5, 4, 3, 3 and 0 of them: a bound of 2^-300 has to reach one
  // more.
  SmallProblem problem = gap_of_ten();
  problem.query = {1};
  Claim claim(problem);
  claim.query().as<float>()[0] = 0x1p-149f;
  for (float& key : claim.key().as<float>()) key *= 0x1p-149f;
  const double claimed = 3 * 0x1p-149, missed = 4 * 0x1p-149;
  const ChosenBounds some({{claimed, 0x1p-300}, {missed, 0.0}}), none({{claimed, 0.0}, {missed, 0.0}});
  EXPECT_EQ((*judged(claim, some).end_to_end)[Verdict::rounding], 1);
  EXPECT_EQ((*judged(claim, none).end_to_end)[Verdict::value_error], 1);
}

TEST(RowVerdict, TakesABoundBeyondEveryScoreForNoBound) {
  EXPECT_EQ(verdict_with(INFINITY, 0.0), Verdict::rounding);
  EXPECT_EQ(verdict_with(0.0, 0x1p277), Verdict::rounding);
}

TEST(RowVerdict, NamesTheLowestClaimedAndTheHighestMissedBlockOfASelectorFault) {
  SmallProblem problem = gap_of_ten();
  problem.claimed = {2, 4};
  problem.recorded = {50, 40, 30, 30, 0};
  const SelectionReport report = Claim(problem, false).judge();
  ASSERT_EQ(report.witnesses.size(), 1u);
  EXPECT_EQ(report.witnesses.front().judgement, "selector");
  EXPECT_EQ(report.witnesses.front().claimed_block, 4);
  EXPECT_EQ(report.witnesses.front().missed_block, 0);
  EXPECT_EQ(report.witnesses.front().gap_value, 50.0);
  EXPECT_EQ(report.error_model, "");  // no exact score was judged
}

}  // namespace
}  // namespace plumbline
