#include "oracle/judge/judge_selection.h"

#include "fixtures/error.h"
#include "tests/oracle/judge/small_problem.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using testing_judge::Claim;
using testing_judge::SmallProblem;
using testing_judge::text_of;

/// One row over five blocks whose exact scores are 50, 40, 30, 30, 0; two may be selected unless said
/// otherwise.
SmallProblem five_blocks(std::vector<std::int32_t> claimed, std::int32_t k = 2) {
  SmallProblem problem;
  problem.geometry = {1, 1, 4, k};
  problem.rows = 1;
  problem.blocks = 5;
  problem.query = {10};
  problem.key = {5, 4, 3, 3, -7};
  problem.visible = {5};
  problem.claimed = std::move(claimed);
  problem.recorded = {50, 40, 30, 30, 0};
  return problem;
}

struct Verdicts {
  Verdict selector, end_to_end;
};

Verdict only_verdict(const std::optional<VerdictCounts>& counts) {
  EXPECT_TRUE(counts.has_value());
  EXPECT_EQ(counts->total(), 1);
  for (int v = 0; v < kVerdicts; ++v) {
    if ((*counts)[static_cast<Verdict>(v)] == 1) return static_cast<Verdict>(v);
  }
  return Verdict::structural;
}

Verdicts verdicts_of(const SmallProblem& problem) {
  const SelectionReport report = Claim(problem).judge();
  return {only_verdict(report.selector), only_verdict(report.end_to_end)};
}

TEST(JudgeSelection, CallsTheCanonicalRowCanonicalOnly) {
  const Verdicts verdicts = verdicts_of(five_blocks({0, 1, 2}, 3));
  EXPECT_EQ(verdicts.selector, Verdict::canonical);
  EXPECT_EQ(verdicts.end_to_end, Verdict::canonical);
}

TEST(JudgeSelection, CallsAnotherOrderOfTheSetOrderOnly) {
  const Verdicts verdicts = verdicts_of(five_blocks({2, 0, 1}, 3));
  EXPECT_EQ(verdicts.selector, Verdict::order_only);
  EXPECT_EQ(verdicts.end_to_end, Verdict::order_only);
}

TEST(JudgeSelection, CallsTheHigherBlockOfATieTieOnlyWithBothBlocksAsWitness) {
  const SelectionReport report = Claim(five_blocks({0, 1, 3}, 3)).judge();
  EXPECT_EQ(only_verdict(report.selector), Verdict::tie_only);
  EXPECT_EQ(only_verdict(report.end_to_end), Verdict::tie_only);
  ASSERT_EQ(report.witnesses.size(), 1u);
  const Witness& witness = report.witnesses.front();
  EXPECT_EQ(witness.judgement, "end_to_end");
  EXPECT_EQ(witness.claimed_block, 3);
  EXPECT_EQ(witness.missed_block, 2);
  EXPECT_EQ(witness.claimed_score, witness.missed_score);
  EXPECT_EQ(witness.gap_value, 0.0);
  EXPECT_EQ(witness.what,
            "blocks 2 and 3 have equal scores: the tie rule takes the lower one, the row took 3");
}

TEST(JudgeSelection, CallsADroppedWinnerAValueErrorWithTheGapAsWitness) {
  const SelectionReport report = Claim(five_blocks({0, 2})).judge();
  EXPECT_EQ(only_verdict(report.selector), Verdict::value_error);
  EXPECT_EQ(only_verdict(report.end_to_end), Verdict::value_error);
  EXPECT_EQ(report.status, Status::fail);
  EXPECT_EQ(report.reason, "1 of 1 rows break the contract within_error: 1 value_error; the first is row 0");
  EXPECT_EQ(report.error_model, "float32_any_order");
  ASSERT_EQ(report.witnesses.size(), 1u);
  const Witness& witness = report.witnesses.front();
  EXPECT_EQ(witness.claimed_block, 2);
  EXPECT_EQ(witness.missed_block, 1);
  EXPECT_EQ(witness.gap_value, 10.0);
  EXPECT_GT(witness.allowed, 0.0);
  EXPECT_LT(witness.allowed, 1e-4);
}

TEST(JudgeSelection, CallsATieAtTheWrongPlaceAValueError) {
  // 2 and 3 tie with each other, but 1, which was left out for them, does not.
  EXPECT_EQ(verdicts_of(five_blocks({0, 2, 3}, 3)).end_to_end, Verdict::value_error);
}

TEST(JudgeSelection, CallsAGapWithinBothErrorBoundsRoundingWhereTheSelectorSeesATie) {
  SmallProblem problem;
  problem.geometry = {1, 2, 4, 1};
  problem.rows = 1;
  problem.blocks = 2;
  problem.query = {4095, 1};
  problem.key = {4095, 0, 4095, 1};  // exact scores 4095² and 4095² + 1
  problem.visible = {2};
  problem.claimed = {0};
  problem.recorded = {16769025.0f, 16769025.0f};
  const SelectionReport report = Claim(problem).judge();
  EXPECT_EQ(only_verdict(report.selector), Verdict::canonical);
  EXPECT_EQ(only_verdict(report.end_to_end), Verdict::rounding);
  EXPECT_EQ(report.status, Status::pass);
  ASSERT_EQ(report.witnesses.size(), 1u);
  EXPECT_EQ(report.witnesses.front().gap_value, 1.0);
  EXPECT_GT(report.witnesses.front().allowed, 2 * 5 * 0x1p-24 * 16769025);
}

TEST(JudgeSelection, NamesEveryStructuralFaultInBothJudgementsOnce) {
  for (const auto& claimed :
       std::vector<std::vector<std::int32_t>>{{0, 0}, {0, 5}, {-1, 0}, {0, -1}, {-7, 1}}) {
    const SelectionReport report = Claim(five_blocks(claimed)).judge();
    EXPECT_EQ(only_verdict(report.selector), Verdict::structural);
    EXPECT_EQ(only_verdict(report.end_to_end), Verdict::structural);
    EXPECT_EQ(report.status, Status::fail);
    ASSERT_EQ(report.witnesses.size(), 1u);
    EXPECT_FALSE(report.witnesses.front().what.empty());
  }
}

TEST(JudgeSelection, IgnoresScoresAndNaNBeyondTheVisibleBlocks) {
  SmallProblem problem = five_blocks({0, 1});
  problem.visible = {3};
  problem.recorded[3] = std::numeric_limits<float>::infinity();
  problem.recorded[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(verdicts_of(problem).selector, Verdict::canonical);
}

TEST(JudgeSelection, RanksNaNWithinTheRowByItsKeyBits) {
  SmallProblem problem = five_blocks({0, 4});
  problem.recorded[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(verdicts_of(problem).selector, Verdict::canonical);
  problem.recorded[4] = -std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(verdicts_of(problem).selector, Verdict::value_error);
}

TEST(JudgeSelection, NeverConsultsScoresOfARowThatSelectsAll) {
  SmallProblem problem = five_blocks({0, 1, 2, -1}, 4);
  problem.visible = {3};
  for (float& score : problem.recorded) score = std::numeric_limits<float>::quiet_NaN();
  const Verdicts verdicts = verdicts_of(problem);
  EXPECT_EQ(verdicts.selector, Verdict::canonical);
  EXPECT_EQ(verdicts.end_to_end, Verdict::canonical);
}

TEST(JudgeSelection, TakesBlocksBehindUnmappedPagesAsMinusInfinity) {
  SmallProblem problem = five_blocks({1, 3});
  problem.key_valid = {0, 1, 0, 1, 0};
  problem.recorded.clear();
  const auto verdict = [&](std::vector<std::int32_t> claimed, std::int32_t k) {
    problem.claimed = std::move(claimed);
    problem.geometry.block_topk = k;
    return only_verdict(Claim(problem).judge().end_to_end);
  };
  EXPECT_EQ(verdict({1, 3}, 2), Verdict::canonical);
  EXPECT_EQ(verdict({0, 1}, 2), Verdict::value_error);  // a finite block gave way to -infinity
  EXPECT_EQ(verdict({0, 1, 3}, 3), Verdict::canonical);
  EXPECT_EQ(verdict({1, 2, 3}, 3), Verdict::tie_only);  // -infinity ties with -infinity
  EXPECT_EQ(verdict({0, 1, 2}, 3), Verdict::value_error);
  problem.key_valid[4] = 1;  // a finite score of 0 is no rounding away from -infinity
  EXPECT_EQ(verdict({0, 1, 3}, 3), Verdict::value_error);
}

TEST(JudgeSelection, LeavesRowsWithoutExactScoresToTheSelector) {
  SmallProblem problem = five_blocks({0, 2});
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  problem.recorded = {kNaN, kNaN, -kNaN, -kNaN, -kNaN};
  Claim claim(problem);
  claim.query().as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  const SelectionReport report = claim.judge();
  EXPECT_FALSE(report.end_to_end.has_value());
  EXPECT_EQ(report.rows_without_exact_score, 1);
  EXPECT_EQ(only_verdict(report.selector), Verdict::value_error);
  EXPECT_EQ(report.status, Status::fail);
  EXPECT_FALSE(report.census.has_exact);
}

TEST(JudgeSelection, RefusesFiniteScoresOfAKeyThatIsNotANumber) {
  SmallProblem problem = five_blocks({0, 1});
  Claim claim(problem);
  claim.key().as<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  const SelectionReport report = claim.judge();
  EXPECT_EQ(report.rows_without_exact_score, 1);
  EXPECT_EQ(only_verdict(report.end_to_end), Verdict::value_error);
  EXPECT_EQ(report.status, Status::fail);
  ASSERT_FALSE(report.witnesses.empty());
  EXPECT_NE(report.witnesses.front().what.find("which its query and key make NaN"), std::string::npos)
      << report.witnesses.front().what;
}

TEST(JudgeSelection, TakesNaNScoresFromAKeyThatIsNotANumber) {
  SmallProblem problem = five_blocks({0, 1});
  problem.recorded[1] = std::numeric_limits<float>::quiet_NaN();  // ranks above everything
  Claim claim(problem);
  claim.key().as<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  const SelectionReport report = claim.judge();
  EXPECT_FALSE(report.end_to_end.has_value());
  EXPECT_EQ(only_verdict(report.selector), Verdict::canonical);
  EXPECT_EQ(report.status, Status::pass) << report.reason;
}

TEST(JudgeSelection, AsksNoScoreOfAnInvalidKeyThatIsNotANumber) {
  SmallProblem problem = five_blocks({0, 1});
  problem.key_valid = {1, 1, 1, 1, 0};
  Claim claim(problem);
  claim.key().as<float>()[0] = std::numeric_limits<float>::infinity();
  claim.key().as<float>()[4] = std::numeric_limits<float>::quiet_NaN();
  problem.recorded[0] = claim.query().as<float>()[0] > 0 ? std::numeric_limits<float>::infinity() : 0.0F;
  EXPECT_FALSE(claim.judge().end_to_end.has_value());
  problem.recorded[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(only_verdict(claim.judge().end_to_end), Verdict::value_error);
}

TEST(JudgeSelection, FailsAStructuralRowThatHasNothingToBeJudgedOn) {
  SmallProblem problem = five_blocks({0, 0});
  problem.recorded.clear();
  Claim not_finite(problem);
  not_finite.query().as<float>()[0] = std::numeric_limits<float>::infinity();
  for (const SelectionReport& report : {not_finite.judge(), Claim(problem, false).judge()}) {
    EXPECT_FALSE(report.selector.has_value());
    EXPECT_FALSE(report.end_to_end.has_value());
    EXPECT_EQ(report.status, Status::fail);
    ASSERT_EQ(report.witnesses.size(), 1u);
    EXPECT_EQ(report.witnesses.front().verdict, Verdict::structural);
    EXPECT_EQ(report.witnesses.front().judgement, "selector");
  }
}

TEST(JudgeSelection, GivesTheWitnessOfARowWithoutExactScoreToTheSelector) {
  SmallProblem problem = five_blocks({0, 0});
  Claim claim(problem);
  claim.query().as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  const SelectionReport report = claim.judge();
  EXPECT_FALSE(report.end_to_end.has_value());
  ASSERT_EQ(report.witnesses.size(), 1u);
  EXPECT_EQ(report.witnesses.front().judgement, "selector");
}

TEST(JudgeSelection, IsVacuousWhenNothingWasReallyTested) {
  SmallProblem problem = five_blocks({0, 1, 2, 3, 4}, 5);
  EXPECT_EQ(Claim(problem).judge().status, Status::vacuous);
  EXPECT_EQ(Claim(problem).judge().reason, "no row sees more blocks than it may select");

  SmallProblem scoreless = five_blocks({0, 1});
  scoreless.recorded.clear();
  EXPECT_EQ(Claim(scoreless, false).judge().status, Status::vacuous);
  EXPECT_EQ(Claim(scoreless, false).judge().reason, "no row has a score to judge it on");

  SmallProblem empty = five_blocks({});
  empty.rows = 0;
  empty.query.clear();
  empty.visible.clear();
  empty.recorded.clear();
  EXPECT_EQ(Claim(empty).judge().status, Status::vacuous);
  EXPECT_EQ(Claim(empty).judge().reason, "there are no rows");
}

TEST(JudgeSelection, IsVacuousWhenOnlyRowsWithoutAChoiceCouldBeJudged) {
  SmallProblem problem = five_blocks({0, 1, 0, 1});
  problem.rows = 2;
  problem.query = {10, 10};
  problem.visible = {5, 2};
  problem.recorded.clear();
  Claim claim(problem);
  claim.query().as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  const SelectionReport report = claim.judge();
  EXPECT_EQ(report.status, Status::vacuous);
  EXPECT_EQ(report.reason, "no row that selects has a score to judge it on");
}

TEST(JudgeSelection, RemarksOnTheRowsItCouldNotJudge) {
  SmallProblem problem = five_blocks({0, 1, 0, 1});
  problem.rows = 2;
  problem.query = {10, 10};
  problem.visible = {5, 5};
  problem.recorded.clear();
  Claim claim(problem);
  claim.query().as<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  const SelectionReport report = claim.judge();
  EXPECT_EQ(report.status, Status::pass);
  EXPECT_EQ(report.reason, "1 of 2 rows have no score to judge them on");
}

TEST(JudgeSelection, IsVacuousWhenEverySetWouldKeepTheContract) {
  SmallProblem problem = five_blocks({1, 4});
  problem.key.assign(problem.key.size(), 0);
  problem.recorded.assign(problem.recorded.size(), 0.0f);
  for (const bool with_inputs : {true, false}) {
    for (const Contract contract : {Contract::within_error, Contract::set_exact}) {
      JudgeOptions options;
      options.contract = contract;
      const SelectionReport report = Claim(problem, with_inputs).judge(options);
      EXPECT_EQ(report.status, Status::vacuous) << name_of(contract);
      EXPECT_EQ(report.reason, "all blocks of every row that selects tie, so any set of them would do");
    }
    JudgeOptions options;
    options.contract = Contract::tie_rule_set;
    EXPECT_EQ(Claim(problem, with_inputs).judge(options).status, Status::fail);
  }
  problem.claimed = {0, 1};
  JudgeOptions options;
  options.contract = Contract::canonical;
  EXPECT_EQ(Claim(problem).judge(options).status, Status::pass);
}

TEST(JudgeSelection, FailsRatherThanBeingVacuousWhenAShortRowIsWrong) {
  EXPECT_EQ(Claim(five_blocks({0, 1, 2, 3, -1}, 5)).judge().status, Status::fail);
}

TEST(JudgeSelection, ChecksTheSelectorContractsOnRecordedScoresAndWithinErrorOnExactOnes) {
  SmallProblem problem = five_blocks({0, 2});
  problem.recorded = {50, 30, 40, 30, 0};  // on its own scores the subject selects rightly
  for (const Contract contract : {Contract::set_exact, Contract::tie_rule_set, Contract::canonical}) {
    JudgeOptions options;
    options.contract = contract;
    EXPECT_EQ(Claim(problem).judge(options).status, Status::pass) << name_of(contract);
  }
  EXPECT_EQ(Claim(problem).judge().status, Status::fail);
  EXPECT_EQ(Claim(problem, false).judge().status,
            Status::pass);  // within_error, no query and key: the selector
}

TEST(JudgeSelection, KeepsTheWorstWitnessesFirstAndCountsTheRest) {
  SmallProblem problem = five_blocks({});
  problem.geometry.block_topk = 3;
  problem.rows = 6;
  problem.query.assign(6, 10);
  problem.visible.assign(6, 5);
  problem.recorded.clear();
  for (const auto& row : std::vector<std::vector<std::int32_t>>{
           {0, 1, 3}, {0, 1, 2}, {0, 2, 3}, {0, 0, 1}, {0, 1, 3}, {1, 2, 3}}) {
    problem.claimed.insert(problem.claimed.end(), row.begin(), row.end());
  }
  JudgeOptions options;
  options.max_witnesses = 4;
  const SelectionReport report = Claim(problem).judge(options);
  std::vector<std::int64_t> rows;
  for (const Witness& witness : report.witnesses) rows.push_back(witness.row);
  EXPECT_EQ(rows, (std::vector<std::int64_t>{3, 2, 5, 0}));
  EXPECT_EQ(report.witnesses_left_out, 1);
  options.max_witnesses = 0;
  EXPECT_TRUE(Claim(problem).judge(options).witnesses.empty());
  EXPECT_EQ(Claim(problem).judge(options).witnesses_left_out, 5);
}

TEST(JudgeSelection, SaysTheSameForAnyThreadCountAcrossChunks) {
  SmallProblem problem;
  problem.geometry = {2, 2, 4, 2};
  problem.rows = 4500;  // more than one chunk of scores, many batches of certified rows
  problem.blocks = 6;
  std::uint64_t state = 3;
  const auto next = [&](std::int64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(bound));
  };
  for (std::int64_t i = 0; i < problem.rows * 4; ++i) problem.query.push_back(next(7) - 3);
  for (std::int64_t i = 0; i < problem.blocks * 2; ++i) problem.key.push_back(next(7) - 3);
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    problem.visible.push_back(static_cast<std::int32_t>(next(8)) - 1);
    for (int slot = 0; slot < 2; ++slot) problem.claimed.push_back(static_cast<std::int32_t>(next(7)) - 1);
    for (std::int64_t block = 0; block < problem.blocks; ++block) {
      problem.recorded.push_back(static_cast<float>(problem.score(row, block)));
    }
  }
  JudgeOptions options;
  options.max_witnesses = 5000;
  options.threads = 1;
  const SelectionReport report = Claim(problem).judge(options);
  EXPECT_EQ(report.selector->rows, report.end_to_end->rows);  // the recorded scores are the exact ones
  EXPECT_GT((*report.selector)[Verdict::value_error], 0);
  const std::string expected = text_of(report);
  for (const int threads : {2, 5}) {
    options.threads = threads;
    EXPECT_EQ(text_of(Claim(problem).judge(options)), expected) << threads << " threads";
  }
}

TEST(JudgeSelection, RefusesASelectionOfNoBlocks) {
  EXPECT_THROW(Claim(five_blocks({}, 0)).judge(), InputError);
}

}  // namespace
}  // namespace plumbline
