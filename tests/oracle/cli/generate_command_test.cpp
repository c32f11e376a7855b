#include "oracle/report/report_json.h"
#include "tests/oracle/cli/run_program.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

class GenerateCommand : public ProgramTest {
 protected:
  Json select(const std::string& file) {
    const ProgramRun result = run({"select", file, "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out);
  }
};

TEST_F(GenerateCommand, WritesACaptureThatSelectFindsCanonical) {
  const ProgramRun result =
      run({"generate", "select:blocks=900,rows=64,data=ties,seed=3", "-o", path("made.h5")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json selection = select(path("made.h5")).at("selections").at(0);
  EXPECT_EQ(selection["tag"], "reference");
  EXPECT_EQ(selection["contract"], "canonical");
  EXPECT_EQ(selection["end_to_end"]["canonical"], 64);
}

TEST_F(GenerateCommand, WritesPagedCases) {
  const ProgramRun result =
      run({"generate", "paged:rows=64,blocks=900,requests=3,data=relu", "-o", path("made.h5")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json report = select(path("made.h5"));
  ASSERT_EQ(report["selections"].size(), 2u);
  EXPECT_EQ(report["selections"][0]["end_to_end"]["canonical"], 64);
}

TEST_F(GenerateCommand, WritesTheSameBytesOfDataForTheSameCase) {
  const auto info = [&](const char* seed, const char* file) {
    run({"generate", std::string("select:blocks=600,rows=64,seed=") + seed, "-o", path(file)});
    const std::string text = run({"info", path(file)}).out;
    return text.substr(text.find("/select/0000"));
  };
  EXPECT_EQ(info("5", "a.h5"), info("5", "b.h5"));
}

TEST_F(GenerateCommand, DescribesEveryFamily) {
  const ProgramRun result = run({"generate", "--list"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("zero_plateau ("), std::string::npos) << result.out;
}

using InfoCommand = ProgramTest;

TEST_F(InfoCommand, NamesAttributesTypesAndShapes) {
  const ProgramRun result = run({"info", golden("tiny_bf16.h5")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("model_type             qwen4_exp_text"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("/forward/0000/selection/blocks "), std::string::npos);
  EXPECT_NE(result.out.find("bfloat16"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
