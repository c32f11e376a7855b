#include "fixtures/capture/select_capture.h"
#include "oracle/report/report_json.h"
#include "tests/oracle/cli/run_program.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

class PluginCommand : public ProgramTest {
 protected:
  /// One small case by default, so that a verdict is that of one property.
  Json judge(const std::string& library, int exit_code, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"plugin", library, "--json", "-", "-o", path("failing.h5")};
    words.insert(words.end(), more.begin(), more.end());
    last_ = run(words);
    EXPECT_EQ(last_.exit_code, exit_code) << last_.out << last_.err;
    return last_.out.empty() ? Json() : Json::parse(last_.out);
  }
  Json misbehave(const std::string& how, int exit_code = 1,
                 const std::string& one_case = "select:heads=2,topk=8,blocks=40,rows=6,data=ties") {
    ::setenv("PLUMBLINE_MISBEHAVE", how.c_str(), 1);
    Json report = judge(PLUMBLINE_MISBEHAVING, exit_code, {"--case", one_case, "--patience", "1"});
    ::unsetenv("PLUMBLINE_MISBEHAVE");
    return report;
  }
  void expect_reason(const Json& report, const std::string& words) {
    ASSERT_TRUE(report.contains("checks")) << last_.err;
    EXPECT_EQ(report["checks"][0]["status"], "FAIL");
    EXPECT_NE(report["checks"][0]["reason"].get<std::string>().find(words), std::string::npos)
        << report["checks"][0];
  }
  ProgramRun last_;
};

TEST_F(PluginCommand, PassesAnHonestSelectorOnEveryFamily) {
  const Json report = judge(PLUMBLINE_CPU_TOPK, 0, {"--rounds", "2"});
  EXPECT_GE(report["checks"].size(), 25u);
  for (const Json& check : report["checks"]) EXPECT_EQ(check["status"], "PASS") << check;
  EXPECT_FALSE(std::filesystem::exists(path("failing.h5")));
}

TEST_F(PluginCommand, PassesTheReadmesPlugin) {
  judge(PLUMBLINE_TEN_LINES, 0, {"--rounds", "1", "--filter", "ties|negzero|nan$|inf|stride|length_edges"});
}

TEST_F(PluginCommand, FindsAPlantedTieBugAndShrinksItToEightBlocksOrFewer) {
  const Json report =
      judge(PLUMBLINE_CPU_TOPK_TIE_BUG, 1, {"--rounds", "1", "--filter", "select/(ties|huge)$"});
  EXPECT_EQ(report["checks"][0]["status"], "FAIL");
  EXPECT_EQ(report["checks"][1]["status"], "PASS");
  const SelectCapture capture = read_select_capture(path("failing.h5"));
  EXPECT_EQ(capture.cases.front().rows, 1);
  EXPECT_LE(capture.cases.front().blocks, 8);
}

TEST_F(PluginCommand, FindsATieBugThatOnlyAFullCutoffShows) {
  // k - 1 distinct winners, then a pair that ties: fewer winners alone would hide it.
  judge(PLUMBLINE_CPU_TOPK_TIE_BUG, 1, {"--rounds", "1", "--filter", "select/near_tie$"});
  const SelectCapture capture = read_select_capture(path("failing.h5"));
  EXPECT_LE(capture.cases.front().blocks, 8);
}

TEST_F(PluginCommand, RepeatsTheSmallestFailureByItsReproLine) {
  judge(PLUMBLINE_CPU_TOPK_TIE_BUG, 1, {"--rounds", "1", "--filter", "select/ties$"});
  std::string line = last_.err.substr(last_.err.rfind("plumbline plugin "));
  line.resize(line.find('\n'));
  const ProgramRun again =
      run_line(shell_quoted(PLUMBLINE_PROGRAM) + line.substr(std::string("plumbline").size()));
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.out.find("tie_only"), std::string::npos) << again.out;
}

TEST_F(PluginCommand, WritesAFailureThatSelectJudgesWithoutThePlugin) {
  judge(PLUMBLINE_CPU_TOPK_TIE_BUG, 1, {"--rounds", "1", "--filter", "select/ties$"});
  EXPECT_EQ(run({"select", path("failing.h5"), "--tag", "plugin"}).exit_code, 1);
  EXPECT_EQ(run({"select", path("failing.h5"), "--tag", "reference"}).exit_code, 0);
}

TEST_F(PluginCommand, IsASubjectOfSelect) {
  ASSERT_EQ(run({"generate", "select:topk=8,blocks=40,data=ties", "-o", path("case.h5")}).exit_code, 0);
  const auto select = [&](const char* library) {
    return run({"select", path("case.h5"), "--subject", std::string("plugin:") + library}).exit_code;
  };
  EXPECT_EQ(select(PLUMBLINE_CPU_TOPK), 0);
  EXPECT_EQ(select(PLUMBLINE_CPU_TOPK_TIE_BUG), 1);
}

TEST_F(PluginCommand, PassesTheWellBehavedTwin) { misbehave("", 0); }
TEST_F(PluginCommand, GivesACrashItsSignal) {
#ifdef __SANITIZE_ADDRESS__  // which takes the signal and ends the process itself
  expect_reason(misbehave("crashes"), "crashed in select: its process ended with code 1");
#else
  expect_reason(misbehave("crashes"), "SIGSEGV, through a null pointer");
#endif
}
TEST_F(PluginCommand, GivesAnExitItsCode) { expect_reason(misbehave("exits"), "ended with code 7"); }
TEST_F(PluginCommand, GivesUpOnAHang) {
  expect_reason(misbehave("hangs"), "no answer to select within 1000 ms");
}
TEST_F(PluginCommand, CatchesAnException) { expect_reason(misbehave("throws"), "threw an exception"); }
TEST_F(PluginCommand, TellsWhatThePluginSaysFailedInOneLine) {
  expect_reason(misbehave("fails"), "out of?[2J ideas?");
}
TEST_F(PluginCommand, SeesAWriteBehindAnOutput) {
  expect_reason(misbehave("writes_behind"), "guards: select: 4 bytes behind 'blocks' were written");
}
TEST_F(PluginCommand, SeesAWriteBeforeAnOutput) {
  expect_reason(misbehave("writes_before"), "before 'blocks'");
}
TEST_F(PluginCommand, SeesAWrittenInput) {
  expect_reason(misbehave("writes_input"), "the input 'visible_blocks' was written");
}
TEST_F(PluginCommand, SeesAReadBehindAnInput) {
  expect_reason(misbehave("reads_behind"),
                "guards: crashed in select: SIGSEGV, touching the guard page behind 'visible");
}
TEST_F(PluginCommand, SeesUnwrittenPadding) {
  expect_reason(misbehave("leaves_padding_unwritten", 1, "select:heads=2,topk=64,blocks=40,rows=6,data=ties"),
                "structural");
}
TEST_F(PluginCommand, SeesTiesThatChangeFromCallToCall) {
  expect_reason(misbehave("ties_by_turns"), "repeat: ");
}
TEST_F(PluginCommand, SeesTiesThatChangeWithTheBatch) {
  expect_reason(misbehave("ties_by_batch"), "batch: alone");
}

TEST_F(PluginCommand, HoldsScoresToTheirBounds) {
  const char* one = "select:heads=2,dim=8,topk=8,blocks=40,rows=6,dtype=f32,data=relu";
  misbehave("scores", 0, one);
  expect_reason(misbehave("forgets_a_head", 1, one), "scores: ");
  expect_reason(misbehave("rounds_scores", 1, one), "scores: ");
}

TEST_F(PluginCommand, HoldsAttentionToItsBounds) {
  const auto attend = [&](const char* how, int exit_code) {
    ::setenv("PLUMBLINE_MISBEHAVE", how, 1);
    Json report = judge(PLUMBLINE_MISBEHAVING, exit_code,
                        {"--rounds", "1", "--filter", "^attend/(random|empty_rows|bad_pages|wide)"});
    ::unsetenv("PLUMBLINE_MISBEHAVE");
    return report;
  };
  const Json right = attend("attends", 0);
  EXPECT_GE(right["counts"]["PASS"], 3);
  const Json wrong = attend("attends_a_token_less", 1);
  EXPECT_GE(wrong["counts"]["FAIL"], 1) << wrong;
  EXPECT_EQ(wrong["checks"][0]["name"].get<std::string>().substr(0, 7), "attend/");
}

TEST_F(PluginCommand, CountsWhatThePluginDoesNotServeAsNothingExecuted) {
  const Json report = misbehave("serves_nothing", 3);
  EXPECT_EQ(report["checks"][0]["status"], "UNSUPPORTED");
  EXPECT_EQ(report["checks"][0]["reason"], "needs 7 heads");
}

TEST_F(PluginCommand, ExecutesNothingWhereThePluginsDeviceIsLacking) {
  if (run({"select", golden("select_near_budget_bf16.h5"), "--subject", "cuda"}).exit_code != 2)
    GTEST_SKIP() << "this machine has a device";
  const Json report = misbehave("wants_a_device", 3);
  EXPECT_EQ(report["checks"][0]["status"], "NOT_EXECUTED");
}

#ifdef PLUMBLINE_CUB_TOPK
TEST_F(PluginCommand, PassesTheDevicesSelectorOrExecutesNothingWithoutADevice) {
  const bool device =
      run({"select", golden("select_near_budget_bf16.h5"), "--subject", "cuda"}).exit_code != 2;
  const Json report = judge(PLUMBLINE_CUB_TOPK, device ? 0 : 3,
                            {"--rounds", "1", "--filter", "ties|negzero|nan$|inf|stride|length_edges"});
  const Json& check = report["checks"][0];
  EXPECT_EQ(check["status"], device ? "PASS" : "NOT_EXECUTED") << check;
  if (!device) {
    EXPECT_NE(check["reason"].get<std::string>().find("no usable device"), std::string::npos);
  }
}
#endif

TEST_F(PluginCommand, RefusesWhatIsNoPluginInOneLine) {
  for (const char* how : {"is_not_here", "is_of_another_version"}) {
    misbehave(how, 2);
    expect_one_line(last_.err);
  }
  judge("/nonexistent.so", 2, {});
  expect_one_line(last_.err);
  judge(golden("manifest.json"), 2, {});
  expect_one_line(last_.err);
}

}  // namespace
}  // namespace plumbline
