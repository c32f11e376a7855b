#include "oracle/report/report_json.h"
#include "tests/oracle/cli/run_program.h"
#include "tests/oracle/replay/edited_capture.h"
#include "tests/oracle/report/well_formed_xml.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

class ReplayCommand : public ProgramTest {
 protected:
  const std::string short_ = golden("tiny_short.h5");
};

TEST_F(ReplayCommand, PassesAGoldenAndEndsInOneVerdictLine) {
  const ProgramRun result = run({"replay", short_, "--layer", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("attention.out"), std::string::npos);
  EXPECT_NE(result.out.find("\nPASS: teacher-forced, "), std::string::npos);
  EXPECT_EQ(result.out.find("delta_net"), std::string::npos);
}

TEST_F(ReplayCommand, FailsATamperedCaptureInEveryReport) {
  const EditedCapture edited("tiny_short");
  edited.change_floats("/forward/0001/taps/model.layers.2.mlp/out",
                       [](std::vector<float>& numbers) { numbers[9] += 1; });
  const ProgramRun result = run({"replay", edited.path(), "--stop-at-first", "--json", path("r.json"),
                                 "--junit", path("r.xml"), "--markdown", path("r.md")});
  EXPECT_EQ(result.exit_code, 1);
  const Json report = Json::parse(text_of(path("r.json")));
  EXPECT_EQ(report["status"], "FAIL");
  EXPECT_EQ(report["first_divergence"]["name"], "model.layers.2.mlp/out");
  EXPECT_EQ(report["first_divergence"]["column"], 9);
  EXPECT_EQ(fault_in_xml(text_of(path("r.xml"))), "");
  EXPECT_NE(text_of(path("r.xml")).find("failures=\"1\""), std::string::npos);
  EXPECT_NE(text_of(path("r.md")).find("model.layers.2.mlp/out"), std::string::npos);
  EXPECT_NE(result.out.find("repro: plumbline replay"), std::string::npos);
}

TEST_F(ReplayCommand, ReplaysFromTheTokensOn) {
  const ProgramRun result = run({"replay", short_, "--mode", "free", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_EQ(report["mode"], "free");
  EXPECT_EQ(report["logits"]["rows"], report["logits"]["argmax_equal"]);
  EXPECT_NE(result.err.find("(measured)"), std::string::npos);
}

TEST_F(ReplayCommand, RefusesAnotherKindOfCaptureInOneLine) {
  for (const char* command : {"replay", "explain"}) {
    const ProgramRun result = run({command, golden("select_near_budget_bf16.h5")});
    EXPECT_EQ(result.exit_code, 2) << command;
    expect_one_line(result.err);
  }
}

TEST_F(ReplayCommand, RefusesAFilterWhereNothingIsFiltered) {
  const ProgramRun result = run({"replay", short_, "--mode", "free", "--layer", "1"});
  EXPECT_EQ(result.exit_code, 2);
  expect_one_line(result.err);
}

TEST_F(ReplayCommand, DoesNotCountAFilterThatFindsNothingAsVerified) {
  const ProgramRun result = run({"replay", short_, "--tap", "no such tap"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("VACUOUS"), std::string::npos) << result.out;
}

TEST_F(ReplayCommand, DigestsTheSameWithOneThreadAsWithFive) {
  std::filesystem::create_directories(path("captures"));
  std::filesystem::copy_file(short_, path("captures/one.h5"));
  const auto digest = [&](const char* threads) {
    return run({"digest", "--fixtures", path("captures"), "--threads", threads});
  };
  const ProgramRun one = digest("1"), five = digest("5");
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, five.out);
  EXPECT_EQ(std::count(one.out.begin(), one.out.end(), '\n'), 7);
}

}  // namespace
}  // namespace plumbline
