#include "fixtures/capture/attention_capture.h"
#include "fixtures/small_float.h"
#include "oracle/report/report_json.h"
#include "tests/oracle/cli/run_program.h"

#include <algorithm>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void fill(Tensor& tensor, double value) {
  for (std::size_t at = 0; at < tensor.bytes.size(); at += size_of(tensor.dtype))
    encode_element(tensor.dtype, value, tensor.bytes.data() + at);
}

class AttentionCommand : public ProgramTest {
 protected:
  /// The golden's first case, changed.
  std::string changed(const std::function<void(AttentionCase&)>& change) {
    const AttentionCapture capture = read_attention_capture(golden("attention_cpu_bf16.h5"));
    AttentionCase data = capture.cases.front();
    change(data);
    CaptureWriter writer(path("changed.h5"));
    writer.root_attributes(capture.info);
    write_attention_inputs(writer, "/attention/0000", data.inputs());
    if (!data.profile.empty()) writer.attribute("/attention/0000", "profile", data.profile);
    writer.tensor("/attention/0000/output", data.output.view());
    if (data.lse) writer.tensor("/attention/0000/lse", data.lse->view());
    writer.commit();
    return path("changed.h5");
  }
  Json judged(const std::string& file, int exit_code) {
    const ProgramRun result = run({"attention", file, "--json", "-"});
    EXPECT_EQ(result.exit_code, exit_code) << result.out << result.err;
    return result.out.empty() ? Json() : Json::parse(result.out);
  }
  void expect_refused(const std::vector<std::string>& words) {
    const ProgramRun result = run(words);
    EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
    expect_one_line(result.err);
  }
};

TEST_F(AttentionCommand, JudgesTheGoldens) {
  for (const char* file : {"attention_cpu_bf16.h5", "attention_cpu_fp16.h5"}) judged(golden(file), 0);
}

TEST_F(AttentionCommand, ACaptureWithoutLogSumExpsIsJudgedByItsOutput) {
  const auto without = [](AttentionCase& data) { data.lse.reset(); };
  EXPECT_EQ(judged(changed(without), 0)["checks"][0]["status"], "PASS");
  const auto wrong = [](AttentionCase& data) {
    data.lse.reset();
    fill(data.output, 3);
  };
  EXPECT_EQ(judged(changed(wrong), 1)["checks"][0]["status"], "FAIL");
}

TEST_F(AttentionCommand, NoNumbersInWhatWasRecordedFail) {
  judged(changed([](AttentionCase& data) { fill(data.output, kNan); }), 1);
  judged(changed([](AttentionCase& data) { fill(*data.lse, kNan); }), 1);
}

TEST_F(AttentionCommand, NoNumbersInTheInputsLeaveNothingToJudge) {
  for (const auto& change : std::vector<std::function<void(AttentionCase&)>>{
           [](AttentionCase& data) { fill(data.query, kNan); },
           [](AttentionCase& data) { fill(data.key_cache, kNan); },
           [](AttentionCase& data) { fill(data.value_cache, kNan); },
           [](AttentionCase& data) {
             data.output_gate = data.query;
             fill(*data.output_gate, kNan);
           }}) {
    const Json report = judged(changed(change), 1);
    ASSERT_TRUE(report.contains("checks"));
    EXPECT_EQ(report["checks"][0]["status"], "VACUOUS") << report["checks"][0];
  }
}

TEST_F(AttentionCommand, AScaleThatLeavesNoBoundLeavesNothingToJudge) {
  const Json report = judged(changed([](AttentionCase& data) { data.softmax_scale = 0x1p63; }), 1);
  ASSERT_TRUE(report.contains("checks"));
  EXPECT_EQ(report["checks"][0]["status"], "VACUOUS") << report["checks"][0];
}

TEST_F(AttentionCommand, TokensThatPointNowhereContributeNothing) {
  const auto nowhere = [](AttentionCase& data) {
    std::ranges::fill(data.selected_tokens.as<std::int32_t>(), std::numeric_limits<std::int32_t>::max());
    fill(data.output, 0);
    fill(*data.lse, -std::numeric_limits<double>::infinity());
  };
  EXPECT_EQ(judged(changed(nowhere), 1)["checks"][0]["status"], "VACUOUS");
  const auto written = [&](AttentionCase& data) {
    nowhere(data);
    fill(data.output, 1);
  };
  EXPECT_EQ(judged(changed(written), 1)["checks"][0]["status"], "FAIL");
}

TEST_F(AttentionCommand, RefusesWhatItCannotJudge) {
  expect_refused({"attention", path("nowhere.h5")});
  expect_refused({"attention", golden("tiny_bf16.h5")});
  expect_refused({"attention", golden("paged_fp16.h5")});
  expect_refused({"attention", golden("attention_cpu_bf16.h5"), "--profile", "nobody"});
  expect_refused({"attention", golden("attention_cpu_bf16.h5"), "--subject", "mine"});
  expect_refused({"attention", changed([](AttentionCase& data) { data.profile = "nobody"; })});
  expect_refused({"attention", changed([](AttentionCase& data) { data.softmax_scale = kNan; })});
}

}  // namespace
}  // namespace plumbline
