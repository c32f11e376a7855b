#include "oracle/evidence/evidence_folder.h"
#include "tests/oracle/cli/run_program.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

const char* const kPolicy = R"({"schema":"plumbline-policy","version":1,"routes_hit":[],"ratios":[],
  "known_failures":[KNOWN],"levels":[{"path":"cpu.PATH","capability":"cpu","level":"executed"}]})";

class GateCommand : public ProgramTest {
 protected:
  void SetUp() override { write("PASS"); }
  void write(const std::string& status) {
    std::filesystem::remove_all(path("run"));
    Json report = Json::parse(R"({"command":"verify","machine":{"build":"0.1.0+5bc2bbf46d63","threads":2},
      "filter":"","seed_shift":0,"shard":null,"counts":{},"checks":[{"name":"generated/ties",
      "kind":"generated","case":"select:data=ties,seed=7","subject":"reference","expected":"PASS",
      "reason":"planted","selections":[]}]})");
    report["checks"][0]["status"] = status;
    write_evidence(path("run"), {{"report.json", report}});
  }
  ProgramRun gate(const std::string& required = "generated", const std::string& known = "",
                  const std::string& commit = "5bc2bbf") {
    std::string policy = kPolicy;
    policy.replace(policy.find("PATH"), 4, required);
    policy.replace(policy.find("KNOWN"), 5, known);
    std::ofstream(path("policy.json")) << policy;
    return run({"gate", path("run"), "--policy", path("policy.json"), "--commit", commit, "--today",
                "2026-12-01", "--json", path("gate.json")});
  }
  static std::string known(const std::string& until) {
    return R"({"check":"generated/ties","capability":"cpu","status":"FAIL","reason":"r","until":")" + until +
           "\"}";
  }
};

TEST_F(GateCommand, ExitsWithZeroWhereThePolicyIsMet) {
  const ProgramRun result = gate();
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_TRUE(result.out.ends_with("gate: passed: 1 runs, 1 PASS, 0 problems, 0 known failures\n"));
}

TEST_F(GateCommand, ExitsWithOneForAFailureAMissAndNothingTested) {
  EXPECT_EQ(gate("replay").exit_code, 1);
  for (const char* status : {"FAIL", "ROUTE_MISSED", "VACUOUS", "ERROR"}) {
    write(status);
    const ProgramRun result = gate();
    EXPECT_EQ(result.exit_code, 1) << status << result.out;
    EXPECT_NE(result.out.find("\n  next: "), std::string::npos) << result.out;
  }
}

TEST_F(GateCommand, AllowsAKnownFailureToItsDayAlone) {
  write("FAIL");
  EXPECT_EQ(gate("generated", known("2026-11-30")).exit_code, 1);
  const ProgramRun result = gate("replay", known("2026-12-01"));
  EXPECT_EQ(result.out.find("FAILED: "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("known: generated/ties"), std::string::npos) << result.out;
}

TEST_F(GateCommand, ExitsWithTwoForWhatCannotBeRead) {
  std::ofstream(path("run/report.json"), std::ios::app) << " ";
  const ProgramRun changed = gate();
  EXPECT_EQ(changed.exit_code, 2);
  expect_one_line(changed.err);
  write("PASS");
  EXPECT_EQ(gate("generated", "{}").exit_code, 2);
  EXPECT_EQ(gate("generated", "", "5bc").exit_code, 2);
}

TEST_F(GateCommand, ExitsWithThreeWhereNothingThatCountsWasExecuted) {
  EXPECT_EQ(gate("generated", "", "0123456789ab").exit_code, 3);
  write("NOT_EXECUTED");
  EXPECT_EQ(gate().exit_code, 3);
}

}  // namespace
}  // namespace plumbline
