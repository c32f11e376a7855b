#include "oracle/run/check.h"

#include "fixtures/subject.h"
#include "oracle/judge/judge_indexer.h"
#include "oracle/judge/judge_reference.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

JudgedSelection selection_of(Status status) {
  JudgedSelection selection;
  selection.status = status;
  selection.reason = "of a selection";
  return selection;
}

Status concluded(Status first, Status second, Status indexer, Status proof, std::string* reason = nullptr) {
  CheckResult check;
  check.selections = {selection_of(first), selection_of(second)};
  check.indexer.emplace();
  check.indexer->status = indexer;
  check.indexer->reason = "of the indexer";
  check.proof.emplace();
  check.proof->status = proof;
  check.proof->reason = "of the proof";
  conclude(check);
  if (reason != nullptr) *reason = check.reason;
  return check.status;
}

TEST(Conclude, TakesTheWorstOfEveryKindOfJudgement) {
  constexpr Status pass = Status::pass;
  EXPECT_EQ(concluded(pass, pass, pass, pass), Status::pass);
  for (const Status bad : {Status::fail, Status::vacuous}) {
    std::string reason;
    EXPECT_EQ(concluded(pass, bad, pass, pass, &reason), bad);
    EXPECT_EQ(reason, "of a selection");
    EXPECT_EQ(concluded(pass, pass, bad, pass, &reason), bad);
    EXPECT_EQ(reason, "of the indexer");
    EXPECT_EQ(concluded(pass, pass, pass, bad, &reason), bad);
    EXPECT_EQ(reason, "of the proof");
  }
}

TEST(RunCheck, TellsABranchThatDidNotDoItsWorkFromABrokenCheck) {
  PlannedCheck planned;
  planned.run = [](CheckResult&) { throw RouteMissed("the product left 12 elements unwritten"); };
  EXPECT_EQ(run_check(planned).status, Status::route_missed);
  EXPECT_EQ(run_check(planned).reason, "the product left 12 elements unwritten");
  planned.run = [](CheckResult&) { throw UnsupportedCase("no"); };
  EXPECT_EQ(run_check(planned).status, Status::unsupported);
  planned.run = [](CheckResult&) { throw std::runtime_error("broken"); };
  EXPECT_EQ(run_check(planned).status, Status::error);
}

TEST(Conclude, LetsAFailureOutweighWhatIsVacuousInEitherOrder) {
  EXPECT_EQ(concluded(Status::vacuous, Status::pass, Status::fail, Status::pass), Status::fail);
  EXPECT_EQ(concluded(Status::fail, Status::pass, Status::vacuous, Status::pass), Status::fail);
}

}  // namespace
}  // namespace plumbline
