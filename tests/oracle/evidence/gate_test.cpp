#include "oracle/evidence/gate.h"

#include "fixtures/error.h"
#include "oracle/evidence/json_fields.h"
#include "tests/oracle/evidence/sample_evidence.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Kind = GateProblem::Kind;

class TheGate : public ::testing::Test {
 protected:
  TheGate() {
    policy_.levels = {{"cpu.generated", "cpu", Level::executed}, {"score.paged", "9.0", Level::measured}};
    policy_.hits = {{"topk.lexicographic", "9.0", 2}};
    policy_.ratios = {{"9.0", "family7x", "exact70", "whole", 7250, 5, 0.6}};
  }
  GateVerdict judge() const { return judge_gate(runs_, baseline_, policy_, {kCommit, "2026-12-01"}); }
  void expect_only(Kind kind, const std::string& words) const {
    const GateVerdict verdict = judge();
    EXPECT_EQ(verdict.exit_code(), 1);
    ASSERT_EQ(verdict.problems.size(), 1u) << gate_text(verdict);
    EXPECT_EQ(verdict.problems[0].kind, kind);
    EXPECT_NE(verdict.problems[0].what.find(words), std::string::npos) << verdict.problems[0].what;
    EXPECT_FALSE(verdict.problems[0].next.empty());
  }
  Evidence& cpu() { return runs_[0].evidence; }
  Evidence& gpu() { return runs_[1].evidence; }

  std::vector<NamedEvidence> runs_ = {{"cpu", cpu_evidence()}, {"h200", gpu_evidence()}}, baseline_;
  Policy policy_;
};

TEST_F(TheGate, PassesWhatTwoMachinesShowTogetherAndNeitherAlone) {
  const GateVerdict verdict = judge();
  EXPECT_EQ(verdict.exit_code(), 0) << gate_text(verdict);
  EXPECT_EQ(cell_in(verdict.cells, "cpu.generated", "cpu").passed, 2);
  EXPECT_EQ(cell_in(verdict.cells, "score.paged", "9.0").level, Level::measured);
  runs_.pop_back();
  EXPECT_EQ(judge().exit_code(), 1);
}

TEST_F(TheGate, TextEndsInTheVerdictAndHoldsTheMatrix) {
  const std::string text = gate_text(judge());
  EXPECT_NE(text.find("\ngate: passed: 2 runs, 5 PASS, 0 problems, 0 known failures\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("measured"), std::string::npos) << text;
}

TEST_F(TheGate, NeverPassesEvidenceOfAnotherCommit) {
  gpu().tool.commit = "0123456789ab";
  const GateVerdict verdict = judge();
  EXPECT_EQ(verdict.exit_code(), 1);
  EXPECT_EQ(verdict.problems[0].kind, Kind::stale);
  // What it showed counts for nothing.
  EXPECT_GT(verdict.problems.size(), 1u);
}

TEST_F(TheGate, NeverPassesEvidenceOfAChangedTree) {
  cpu().tool.dirty = true;
  expect_only(Kind::stale, "changes nobody committed");
}

TEST_F(TheGate, NeverPassesEvidenceOfACommitNobodyKnows) {
  cpu().tool.commit.clear();
  expect_only(Kind::stale, "an unknown commit");
}

TEST_F(TheGate, NamesACheckThatFailed) {
  cpu().checks[0].status = Status::fail;
  cpu().checks[0].reason = "row 3";
  expect_only(Kind::failed, "generated/ties on cpu: FAIL: row 3");
}

TEST_F(TheGate, TakesAMissedRouteAsAFailure) {
  cpu().checks[0].status = Status::route_missed;
  expect_only(Kind::failed, "ROUTE_MISSED");
}

TEST_F(TheGate, TakesVacuousChecksForFailuresUnlessDeclared) {
  cpu().checks[0].status = Status::vacuous;
  expect_only(Kind::failed, "VACUOUS");
  cpu().checks[0].expect_vacuous = true;
  EXPECT_EQ(judge().exit_code(), 0);
}

TEST_F(TheGate, AllowsAKnownFailureUntilItsDay) {
  cpu().checks[0].status = Status::fail;
  policy_.known_failures = {{"generated/ties", "cpu", Status::fail, "2026-12-01", "being repaired"}};
  EXPECT_EQ(judge().exit_code(), 0) << gate_text(judge());
  EXPECT_EQ(judge().known.size(), 1u);
}

TEST_F(TheGate, NeverPassesAnExpiredKnownFailureEvenWhereItPasses) {
  policy_.known_failures = {{"generated/ties", "cpu", Status::fail, "2026-11-30", "being repaired"}};
  expect_only(Kind::stale, "expired on 2026-11-30");
}

TEST_F(TheGate, AsksForAKnownFailureThatPassesToBeStruck) {
  policy_.known_failures = {{"generated/ties", "cpu", Status::fail, "2027-11-30", "being repaired"}};
  expect_only(Kind::stale, "passes");
}

TEST_F(TheGate, AKnownFailureIsOfOneStatusAlone) {
  cpu().checks[0].status = Status::error;
  policy_.known_failures = {{"generated/ties", "cpu", Status::fail, "2027-12-01", "being repaired"}};
  EXPECT_EQ(judge().exit_code(), 1);
}

TEST_F(TheGate, MissesALevelThatIsOnlyPlanned) {
  policy_.levels.push_back({"topk.lexicographic", "7.5", Level::executed});
  expect_only(Kind::missing, "topk.lexicographic on 7.5 is static, must be executed");
}

TEST_F(TheGate, MissesARouteThatWasNotHitOftenEnough) {
  policy_.hits[0].at_least = 3;
  expect_only(Kind::missing, "was hit 2 times, must be 3");
}

TEST_F(TheGate, MissesAPartOfARun) {
  cpu().shard = {1, 2};
  expect_only(Kind::missing, "part 2 of 2 on cpu is not there");
}

TEST_F(TheGate, NeverPassesARunThatExecutedNothing) {
  runs_.push_back({"empty", cpu_evidence()});
  runs_.back().evidence.checks.clear();
  expect_only(Kind::nothing, "empty executed nothing");
}

TEST_F(TheGate, ExitsWithThreeWhereNothingWasExecuted) {
  for (NamedEvidence& run : runs_) run.evidence.checks.clear();
  EXPECT_EQ(judge().exit_code(), 3);
  runs_.clear();
  EXPECT_EQ(judge().exit_code(), 3);
}

TEST_F(TheGate, APolicyThatDemandsNothingPassesNothing) {
  policy_ = {};
  expect_only(Kind::nothing, "demands no level and no hit");
}

TEST_F(TheGate, SeesARatioThatLostMoreThanItsNoise) {
  baseline_ = {{"old", gpu_evidence()}};
  EXPECT_EQ(judge().exit_code(), 0) << gate_text(judge());
  gpu().figures[1].median_ms = 0.2 * 1.06;
  expect_only(Kind::slower, "0.530, before 0.500, more than 5 % of noise");
  gpu().figures[1].median_ms = 0.2 * 1.04;
  EXPECT_EQ(judge().exit_code(), 0);
}

TEST_F(TheGate, SeesARatioBeyondItsBound) {
  gpu().figures[1].median_ms = 0.25;
  expect_only(Kind::slower, "0.625, at most 0.600");
}

TEST_F(TheGate, TakesTheWorstRatioOfSeveralRunsInAnyOrder) {
  Evidence slow = gpu();
  slow.runner.cpu = "Another CPU";
  for (EvidenceFigure& figure : slow.figures)
    if (figure.arm == "family7x") figure.median_ms *= 3;
  runs_.push_back({"slow", slow});
  expect_only(Kind::slower, "at most");
  std::swap(runs_[1], runs_[2]);
  expect_only(Kind::slower, "at most");
}

TEST_F(TheGate, CountsARunOnceThatIsGivenTwice) {
  policy_.hits[0].at_least = 2 * policy_.hits[0].at_least + 1;
  expect_only(Kind::missing, "hit");
  runs_.push_back({"copy", gpu()});
  const GateVerdict verdict = judge();
  EXPECT_EQ(verdict.problems.size(), 2u) << gate_text(verdict);
  EXPECT_EQ(verdict.problems[0].kind, Kind::stale);
  EXPECT_EQ(verdict.problems[0].what, "copy is h200 once more");
}

TEST(EvidenceJson, RefusesAFieldGivenTwice) {
  try {
    parse_json(R"({"a": {"b": 1}, "c": {"b": 1, "d": 2, "b": 3}})", "file.json");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("every field once"), std::string::npos) << error.what();
  }
  EXPECT_EQ(parse_json(R"([{"a": 1}, {"a": 2}, {"b": {"a": 3}, "a": 4}])", "file.json").size(), 3u);
}

TEST_F(TheGate, ARatioWithoutBaselineAndBoundIsNotJudged) {
  policy_.ratios[0].at_most.reset();
  expect_only(Kind::missing, "no baseline");
}

TEST_F(TheGate, FiguresOfAnotherCommitAreNotJudged) {
  policy_.levels.pop_back();
  gpu().figures_commit = "0123456789ab";
  expect_only(Kind::missing, "not measured at this commit");
}

TEST_F(TheGate, SeesMachinesOfTheSameArithmeticContradictEachOther) {
  gpu().checks[0].answers.selection = std::string(64, 'd');
  expect_only(Kind::contradiction, "generated/ties: other selection on cpu (Example CPU) than on h200");
}

TEST_F(TheGate, SeesInputsThatDiffer) {
  gpu().checks[0].answers.inputs = std::string(64, 'd');
  expect_only(Kind::contradiction, "other inputs");
}

TEST_F(TheGate, ShowsHowArchitecturesDifferWithoutCallingItAContradiction) {
  runs_.push_back({"t4", gpu_evidence("7.5")});
  Evidence& other = runs_.back().evidence;
  other.checks.back().answers.scores = std::string(64, 'd');
  other.checks.back().answers.score_sample[1] += 3;
  other.hits[0].symbols = {"turing_kernel"};
  gpu().orders["cuda:score.paged"] = "1f00";
  other.orders["cuda:score.paged"] = "9c00";
  const GateVerdict verdict = judge();
  EXPECT_EQ(verdict.exit_code(), 0) << gate_text(verdict);
  ASSERT_EQ(verdict.differences.size(), 1u);
  EXPECT_EQ(verdict.differences[0].detail,
            "up to 3 ULP in 2 sampled scores; tensor_core:9.0 and tensor_core:7.5; order 1f00 and order "
            "9c00; score_paged_kernel and turing_kernel");
}

TEST_F(TheGate, PartsOfARunGiveTheCellsOfTheWhole) {
  const Evidence whole = gpu_evidence();
  std::vector<NamedEvidence> parts;
  for (int index = 1; index <= 3; ++index) {
    Evidence part = whole;
    part.shard = {index, 3};
    std::erase_if(part.checks, [&](const EvidenceCheck& check) { return !part.shard.holds(check.name); });
    part.figures.clear();
    part.cells = cells_of(part);
    parts.push_back({"part", part});
  }
  Evidence untimed = whole;
  untimed.figures.clear();
  untimed.cells = cells_of(untimed);
  Evidence merged = untimed;
  merged.cells = merge_cells(parts);
  EXPECT_EQ(to_json(merged)["cells"], to_json(untimed)["cells"]);
}

}  // namespace
}  // namespace plumbline
