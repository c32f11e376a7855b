#include "oracle/summation/split_faults.h"
#include "oracle/summation/split_sweep.h"
#include "oracle/summation/split_trials.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

class SplitReduction : public ::testing::TestWithParam<Reduction> {};

std::string report(const SplitTrials& trials) {
  std::string text;
  for (const std::string& failure : trials.failures) text += failure + "\n";
  return text;
}

/// 100 × 200 cases for each of the five reductions: 10^5.
TEST_P(SplitReduction, StaysWithinItsPlansBoundForEveryInputAndPlan) {
  EXPECT_TRUE(rc::check([&] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const SplitTrials trials =
        run_split_trials(GetParam(), {.cases = 200, .seed = seed, .fault_every = 0, .equal_every = 0});
    RC_LOG() << "seed " << seed << "\n" << report(trials);
    RC_ASSERT(trials.cases == 200);
    RC_ASSERT(trials.sound());
  }));
}

TEST_P(SplitReduction, GivesEqualPlansEqualBits) {
  EXPECT_TRUE(rc::check([&] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto data =
        *rc::gen::elementOf(std::vector<SplitData>(all_split_data().begin(), all_split_data().end()));
    for (std::uint64_t i = 0; i < 20; ++i) {
      const SplitCase one = make_split_case(GetParam(), data, seed + i);
      RC_LOG() << one.describe() << "\n";
      RC_ASSERT(compare_equal_plans(one) == "");
    }
  }));
}

/// Each fault is planted in 100 cases where it moves the exact result by more than four bounds.
TEST_P(SplitReduction, ShowsEveryFaultInAPartial) {
  for (SplitFault fault : planted_faults()) {
    int planted = 0;
    for (std::uint64_t seed = 0; planted < 100 && seed < 5000; ++seed) {
      const SplitCase one =
          make_split_case(GetParam(), all_split_data()[seed % all_split_data().size()], seed);
      fault.split = seed % one.plan.splits.size();
      if (one.plan.splits[fault.split].empty() || !weighs_enough(one, fault)) continue;
      ++planted;
      EXPECT_TRUE(is_caught(one, fault))
          << describe(fault) << " in split " << fault.split << ": " << one.describe();
    }
    EXPECT_EQ(planted, 100) << describe(fault);
  }
}

/// Built into every case, whether it weighs there or not.
TEST_P(SplitReduction, ShowsAFaultThatIsAlwaysThereWithin100Cases) {
  for (const SplitFault& fault : planted_faults()) {
    const FaultHunt hunt = hunt_fault(GetParam(), fault, 25, 3);
    EXPECT_EQ(hunt.missed, 0) << describe(fault);
    EXPECT_LE(hunt.most_cases, 100) << describe(fault);
  }
  EXPECT_EQ(hunt_fault(GetParam(), {}, 5, 3).missed, 5) << "sound ones are not accused";
}

/// A bound far above what happens would hide a fault: at production size the worst row uses a fair share of
/// it.
TEST_P(SplitReduction, UsesAFairShareOfItsBoundAtProductionSize) {
  double constant = 0, same_sign = 0;
  for (const SplitPoint& point : sweep_splits(GetParam(), {.rows = 16})) {
    EXPECT_EQ(point.beyond, 0) << name_of(point.data) << ", " << point.splits << " splits";
    if (point.data == SplitData::constant) constant = std::max(constant, point.share);
    if (point.data == SplitData::same_sign) same_sign = std::max(same_sign, point.share);
  }
  EXPECT_GE(constant, 0.20);
  EXPECT_GE(same_sign, 0.015);
}

INSTANTIATE_TEST_SUITE_P(Of, SplitReduction,
                         ::testing::ValuesIn(all_reductions().begin(), all_reductions().end()),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST(SplitTrials, AreTheSameWhateverPieceRunsWhere) {
  const SplitTrials once = run_split_trials(Reduction::score, {.cases = 2500, .seed = 7});
  const SplitTrials again = run_split_trials(Reduction::score, {.cases = 2500, .seed = 7});
  EXPECT_EQ(once.cases, 2500);
  EXPECT_EQ(once.faults_planted, again.faults_planted);
  for (std::size_t i = 0; i < once.by_data.size(); ++i) {
    EXPECT_EQ(once.by_data[i].cases, 500);
    EXPECT_EQ(once.by_data[i].share, again.by_data[i].share);
  }
}

TEST(SplitCases, DrawEveryKindOfPlan) {
  std::set<SumOrder::Kind> locals;
  std::set<DType> partials;
  std::set<std::size_t> splits;
  bool empty = false;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const SplitCase one = make_split_case(Reduction::score, SplitData::random_sign, seed);
    locals.insert(one.plan.local.kind);
    partials.insert(one.plan.partial);
    splits.insert(one.plan.splits.size());
    for (const auto& split : one.plan.splits) empty = empty || split.empty();
  }
  EXPECT_EQ(locals.size(), 6u);
  EXPECT_EQ(partials.size(), 3u);
  EXPECT_EQ(splits.size(), 8u);
  EXPECT_TRUE(empty);
}

}  // namespace
}  // namespace plumbline
