#include "oracle/report/report_json.h"
#include "tests/oracle/cli/planted_capture.h"
#include "tests/oracle/cli/run_program.h"
#include "tests/oracle/report/report_schema.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

class SelectCommand : public ProgramTest {
 protected:
  // The best winner of row 0 makes way for the worst block that was left out.
  void plant_wrong_winner(const std::string& to) {
    write_planted(golden("select_long_fp16.h5"), to,
                  [this](std::span<std::int32_t> blocks, std::span<const float> scores) {
                    const std::span<std::int32_t> row = blocks.first(512);
                    const std::set<std::int32_t> winners(row.begin(), row.end());
                    const auto score = [&](std::int32_t block) {
                      return scores[static_cast<std::size_t>(block)];
                    };
                    auto best = std::ranges::max_element(row, {}, score);
                    missed_ = *best;
                    for (std::int32_t block = 0; block < 7250; ++block)
                      if (!winners.contains(block) && (claimed_ < 0 || score(block) < score(claimed_)))
                        claimed_ = block;
                    *best = claimed_;
                  });
  }
  std::int32_t claimed_ = -1, missed_ = -1;
};

TEST_F(SelectCommand, PassesARecordedSelectionAndNamesItsVerdicts) {
  const ProgramRun result = run({"select", golden("select_quant_bf16.h5"), "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_EQ(schema_fault(report), "");
  ASSERT_EQ(report["selections"].size(), 2u);
  EXPECT_EQ(report["selections"][0]["tag"], "cpu");
  EXPECT_EQ(report["selections"][0]["end_to_end"]["tie_only"], 36);
  EXPECT_EQ(report["selections"][0]["scores_tag"], "gpu");
}

TEST_F(SelectCommand, WithTheReportOnStandardOutputTheTableGoesToStandardError) {
  const ProgramRun result = run({"select", golden("select_quant_bf16.h5"), "--json", "-"});
  EXPECT_TRUE(Json::accept(result.out));
  EXPECT_NE(result.err.find("verified: 2 PASS\n"), std::string::npos) << result.err;
}

TEST_F(SelectCommand, FailsAPlantedWrongWinnerWithBothBlocksAsWitness) {
  plant_wrong_winner(path("planted.h5"));
  const ProgramRun result = run({"select", path("planted.h5"), "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const Json selection = Json::parse(result.out).at("selections").at(0);
  EXPECT_EQ(selection["end_to_end"]["value_error"], 1);
  EXPECT_EQ(selection["status"], "FAIL");
  const Json& witness = selection["witnesses"].at(0);
  EXPECT_EQ(witness["row"], 0);
  EXPECT_EQ(witness["verdict"], "value_error");
  EXPECT_EQ(witness["claimed_block"], claimed_);
  EXPECT_EQ(witness["missed_block"], missed_);
}

TEST_F(SelectCommand, PrintsALineThatReproducesAFailure) {
  plant_wrong_winner(path("planted it.h5"));
  const ProgramRun failed = run({"select", path("planted it.h5")});
  const auto at = failed.out.find("repro: plumbline ");
  ASSERT_NE(at, std::string::npos) << failed.out;
  const auto words = at + std::string("repro: plumbline ").size();
  const std::string line = failed.out.substr(words, failed.out.find(" # ", words) - words);
  const ProgramRun again = run_line(shell_quoted(PLUMBLINE_PROGRAM) + " " + line);
  EXPECT_EQ(again.exit_code, 1) << line << again.err;
  EXPECT_NE(again.out.find("NOT VERIFIED: 1 FAIL\n"), std::string::npos) << again.out;
}

TEST_F(SelectCommand, LetsTheContractDecideAboutTies) {
  const auto exit_code = [&](const char* contract) {
    return run({"select", golden("select_zero_plateau_fp16.h5"), "--tag", "cpu", "--contract", contract})
        .exit_code;
  };
  EXPECT_EQ(exit_code("within_error"), 0);
  EXPECT_EQ(exit_code("set_exact"), 0);
  EXPECT_EQ(exit_code("tie_rule_set"), 1);
  EXPECT_EQ(exit_code("canonical"), 1);
}

TEST_F(SelectCommand, LetsTheContractDecideAboutOrder) {
  const auto exit_code = [&](const char* contract) {
    return run({"select", golden("select_quant_bf16.h5"), "--tag", "gpu", "--contract", contract}).exit_code;
  };
  EXPECT_EQ(exit_code("tie_rule_set"), 0);
  EXPECT_EQ(exit_code("canonical"), 1);
}

TEST_F(SelectCommand, JudgesTokensAndBlocksOfAPagedCapture) {
  const ProgramRun result = run({"select", golden("paged_fp16.h5"), "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  ASSERT_EQ(report["selections"].size(), 4u);
  EXPECT_EQ(report["selections"][0]["tag"], "tokens");
  EXPECT_EQ(report["selections"][0]["tokens"]["tail"], 0);
  EXPECT_EQ(report["selections"][1]["tag"], "blocks");
}

TEST_F(SelectCommand, PutsTheReferenceOnTrialOnTheInputsOfACapture) {
  const ProgramRun result =
      run({"select", golden("select_neartie_fp16.h5"), "--subject", "reference", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json selection = Json::parse(result.out).at("selections").at(0);
  EXPECT_EQ(selection["tag"], "reference");
  EXPECT_EQ(selection["end_to_end"]["canonical"], 48);
  EXPECT_TRUE(selection["selector"].is_null());
}

TEST_F(SelectCommand, ListsWhatItWouldJudge) {
  const ProgramRun result = run({"select", golden("select_long_fp16.h5"), "--list"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "select/0000/cpu\nselect/0000/gpu\n");
}

TEST_F(SelectCommand, AFilterThatMatchesNothingIsNotAPass) {
  const ProgramRun result = run({"select", golden("select_long_fp16.h5"), "--filter", "no such thing"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.out.find("NOTHING EXECUTED"), std::string::npos);
}

TEST_F(SelectCommand, RefusesATagThatIsNotThereAndNamesThoseThatAre) {
  const ProgramRun result = run({"select", golden("select_long_fp16.h5"), "--tag", "tpu"});
  EXPECT_EQ(result.exit_code, 2);
  expect_one_line(result.err);
  EXPECT_NE(result.err.find("expected a selection tagged 'tpu', found cpu, gpu"), std::string::npos)
      << result.err;
}

TEST_F(SelectCommand, RefusesAModelCapture) {
  const ProgramRun result = run({"select", golden("tiny_bf16.h5")});
  EXPECT_EQ(result.exit_code, 2);
  expect_one_line(result.err);
}

TEST_F(SelectCommand, RefusesATruncatedCaptureAndWritesNoReport) {
  const std::string whole = text_of(golden("select_long_fp16.h5"));
  std::ofstream(path("cut.h5"), std::ios::binary) << whole.substr(0, whole.size() / 2);
  const ProgramRun result = run({"select", path("cut.h5"), "--json", path("report.json")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  expect_one_line(result.err);
  EXPECT_FALSE(std::filesystem::exists(path("report.json")));
}

TEST_F(SelectCommand, RefusesAReportItCannotWriteBeforeItReadsAnything) {
  const ProgramRun result = run({"select", path("absent.h5"), "--json", path("absent/report.json")});
  EXPECT_EQ(result.exit_code, 2);
  expect_one_line(result.err);
  EXPECT_NE(result.err.find("report.json: expected a writable file"), std::string::npos) << result.err;
}

TEST_F(SelectCommand, RefusesAFileNameOfSeveralLinesInOne) {
  const ProgramRun result = run({"select", path("two\nlines.h5")});
  EXPECT_EQ(result.exit_code, 2);
  expect_one_line(result.err);
}

}  // namespace
}  // namespace plumbline
