#include "oracle/report/report_json.h"

#include "tests/oracle/report/report_schema.h"
#include "tests/oracle/report/sample_report.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(ReportJson, OfARunKeepsTheSchema) { EXPECT_EQ(schema_fault(verify_json(sample_run())), ""); }

TEST(ReportJson, OfAFileKeepsTheSchema) {
  const RunReport run = sample_run();
  EXPECT_EQ(schema_fault(select_json("good.h5", run.checks[0].selections, {"first", "second"})), "");
}

TEST(ReportJson, AJudgementThatCannotBeMadeIsNull) {
  JudgedSelection selection = sample_run().checks[0].selections[0];
  selection.end_to_end.reset();
  const Json report = select_json("scores_only.h5", {selection}, {"repro"});
  EXPECT_TRUE(report["selections"][0]["end_to_end"].is_null());
  EXPECT_EQ(schema_fault(report), "");
}

TEST(ReportJson, NamesTheErrorModelOfTheExactJudgementOrNone) {
  JudgedSelection selection = sample_run().checks[0].selections[0];
  const auto named = [&] {
    return select_json("file.h5", {selection}, {"repro"})["selections"][0]["error_model"];
  };
  EXPECT_EQ(named(), "float32_any_order");
  selection.error_model.clear();
  EXPECT_TRUE(named().is_null());
}

TEST(ReportJson, TheWorstStatusStandsForTheRun) {
  RunReport run = sample_run();
  EXPECT_EQ(verify_json(run)["status"], "ERROR");
  run.checks.resize(2);
  EXPECT_EQ(verify_json(run)["status"], "FAIL");
  run.checks.resize(1);
  EXPECT_EQ(verify_json(run)["status"], "PASS");
}

TEST(ReportJson, CountsOfAReportAreThoseOfTheRun) {
  const RunReport run = sample_run();
  const StatusCounts counted = counts_of(verify_json(run)), expected = run.counts();
  EXPECT_EQ(verdict_line(counted), verdict_line(expected));
}

TEST(ReportJson, WhatWasNotExecutedIsListedWithItsReason) {
  const Json report = verify_json(sample_run());
  ASSERT_EQ(report["not_executed"].size(), 1u);
  EXPECT_EQ(report["not_executed"][0]["reason"], "needs a CUDA device");
}

TEST(ReportJson, BytesThatAreNoTextDoNotBreakTheReport) {
  RunReport run;
  run.checks.emplace_back().source = "\xff\xfe.h5";
  EXPECT_TRUE(Json::accept(to_text(verify_json(run))));
}

}  // namespace
}  // namespace plumbline
