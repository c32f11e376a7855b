#include "oracle/report/replay_json.h"

#include "oracle/report/junit.h"
#include "oracle/report/markdown.h"
#include "oracle/report/replay_lines.h"
#include "oracle/report/text_report.h"
#include "tests/oracle/report/report_schema.h"
#include "tests/oracle/report/well_formed_xml.h"

#include <limits>
#include <sstream>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TapReport tap(const std::string& name, const std::string& operation, std::int64_t beyond) {
  TapReport one;
  one.forward = "0002";
  one.name = name;
  one.operation = operation;
  one.elements = 200;
  one.bit_equal = 150;
  one.beyond_bound = beyond;
  one.max_ulp = 12;
  one.max_partial_ulp = 1.5;
  one.p99_ulp = 3;
  one.used_share = beyond > 0 ? 2.5 : 0.125;
  one.worst = {0, 17, 4, 1.5, 1.25, 0.1};
  return one;
}

ReplayReport failing() {
  ReplayReport replay;
  replay.file = "some \"capture\".h5";
  replay.profile = "hf_cpu";
  replay.profile_reason = "asked for";
  replay.status = Status::fail;
  replay.reason = "beyond";
  replay.taps = {tap("model.layers.0.mlp/out", "mlp.out", 0),
                 tap("model.layers.1.linear_attn.norm/in", "delta_net.recurrence", 3),
                 tap("model.layers.1.mlp/out", "mlp.out", 1)};
  replay.without_inputs = {"0002 logits"};
  replay.unknown = {"0002 model.extra", "0003 model.extra"};
  return replay;
}

TEST(ReplayJson, HasTheFieldsOfItsSchema) {
  const Json report = replay_json(failing(), "plumbline replay");
  EXPECT_EQ(fields_fault(report, "report",
                         {{"schema", Need::number},
                          {"command", Need::text},
                          {"file", Need::text},
                          {"mode", Need::text},
                          {"profile", Need::text},
                          {"status", Need::text},
                          {"first_divergence", Need::object_or_null},
                          {"taps", Need::array},
                          {"selection", Need::object_or_null},
                          {"logits", Need::object}}),
            "");
  for (const Json& one : report["taps"]) {
    EXPECT_EQ(fields_fault(one, "tap",
                           {{"forward", Need::number},
                            {"name", Need::text},
                            {"dtype", Need::text},
                            {"elements", Need::number},
                            {"bit_equal", Need::number},
                            {"max_ulp", Need::number_or_null},
                            {"p99_ulp", Need::number_or_null},
                            {"max_partial_ulp", Need::number},
                            {"beyond_bound", Need::number},
                            {"worst", Need::object}}),
              "");
  }
  EXPECT_EQ(fields_fault(report["logits"], "logits",
                         {{"rows", Need::number}, {"argmax_equal", Need::number}, {"max_abs", Need::number}}),
            "");
}

TEST(ReplayJson, GivesTheFirstTapBeyondItsBoundWithItsWorstElement) {
  const Json first = replay_json(failing(), "")["first_divergence"];
  EXPECT_EQ(first, Json({{"forward", 2},
                         {"name", "model.layers.1.linear_attn.norm/in"},
                         {"operation", "delta_net.recurrence"},
                         {"batch", 0},
                         {"token", 17},
                         {"column", 4},
                         {"recorded", 1.5},
                         {"ours", 1.25},
                         {"bound", 0.1}}));
  ReplayReport passing = failing();
  passing.taps.resize(1);
  EXPECT_TRUE(replay_json(passing, "")["first_divergence"].is_null());
}

TEST(ReplayJson, WritesWhatIsNoNumberAsNull) {
  ReplayReport replay = failing();
  replay.taps[1].max_ulp = INT64_MAX;
  replay.taps[1].worst.recorded = std::numeric_limits<double>::quiet_NaN();
  const Json parsed = Json::parse(to_text(replay_json(replay, "")));
  EXPECT_TRUE(parsed["taps"][1]["max_ulp"].is_null());
  EXPECT_TRUE(parsed["first_divergence"]["recorded"].is_null());
  EXPECT_NE(replay_text(parsed, false).find("NaN"), std::string::npos);
}

TEST(ReplayJson, TellsALogitsRowFromAnother) {
  ReplayReport replay;
  replay.free.emplace();
  replay.free->rows = 9;
  replay.free->argmax_equal = 8;
  replay.free->max_abs = 0.5;
  replay.mode = ReplayMode::free;
  const Json report = replay_json(replay, "");
  EXPECT_EQ(report["logits"], Json({{"rows", 9}, {"argmax_equal", 8}, {"max_abs", 0.5}}));
  EXPECT_EQ(report["mode"], "free");
}

TEST(ReplayText, StaysWithin110ColumnsAndEndsInTheVerdict) {
  const Json report = replay_json(failing(), "plumbline replay x");
  std::istringstream lines(text_report(report, false));
  std::string line, table_row, last;
  while (std::getline(lines, line)) {
    if (line.find("delta_net.recurrence") != std::string::npos && table_row.empty()) table_row = line;
    last = line;
  }
  EXPECT_LE(table_row.size(), 110u);
  EXPECT_EQ(last.rfind("FAIL: teacher-forced, 3 taps, 75.000 % of 600 elements bit-equal, 4 beyond", 0), 0u)
      << last;
}

TEST(ReplayText, SaysWhereTheFirstTapLeftItsBound) {
  const std::string text = text_report(replay_json(failing(), ""), false);
  EXPECT_NE(text.find("first beyond its bound: forward 2, model.layers.1.linear_attn.norm/in"),
            std::string::npos);
  EXPECT_NE(text.find("batch row 0, token 17, column 4: recorded 1.5, ours 1.25, bound 0.1"),
            std::string::npos);
  EXPECT_NE(text.find("its inputs are missing: 0002 logits"), std::string::npos);
  EXPECT_NE(text.find("no step of the model gives it: 0002 model.extra and 1 more\n"), std::string::npos);
  EXPECT_NE(text.find("the median operation uses 250 % of its bound"), std::string::npos);
}

TEST(ReplayJunit, HasACaseForEachOperationOfALayer) {
  const std::string xml = junit_from_json(replay_json(failing(), "repro"));
  EXPECT_NE(xml.find("tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("name=\"layer 1/delta_net.recurrence\""), std::string::npos);
}

TEST(ReplayMarkdown, HoldsTheTableAndTheDivergence) {
  const std::string text = markdown_from_json(replay_json(failing(), "repro"));
  EXPECT_NE(text.find("| 1 | delta_net.recurrence | 200 | 75.0000 % | 12 | 1.50 | 250 % | 3 |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("first beyond its bound"), std::string::npos);
}

TEST(ReplayReports, ExitWithTheCodeOfTheirStatus) {
  ReplayReport replay = failing();
  EXPECT_EQ(counts_of(replay_json(replay, "")).exit_code(), 1);
  replay.status = Status::vacuous;
  EXPECT_EQ(counts_of(replay_json(replay, "")).exit_code(), 1);
  replay.status = Status::pass;
  EXPECT_EQ(counts_of(replay_json(replay, "")).exit_code(), 0);
}

}  // namespace
}  // namespace plumbline
