#include "oracle/report/report_json.h"

#include "tests/oracle/report/report_schema.h"
#include "tests/oracle/report/sample_report.h"

#include <string>

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

/// A run with a device check that passed on a hit, and one that did not.
RunReport run_with_hits() {
  RunReport run = sample_run();
  run.machine.device = "NVIDIA H200";
  run.capability = "9.0";
  run.witnesses = "device tags and CUPTI 13.0";
  for (const Status status : {Status::pass, Status::pass, Status::route_missed}) {
    CheckResult check;
    check.status = status;
    dispatch::Reconciliation call;
    call.hits.push_back({dispatch::Route::score_cublas_single, 2, 3, {{"nvjet", 1, {8, 1, 1}, 4.5}}});
    if (status == Status::route_missed) call.misses.push_back("wrong nonce");
    check.routes.emplace();
    check.routes->add(call);
    run.checks.push_back(check);
  }
  return run;
}

TEST(ReportJson, AddsUpTheHitsOfChecksThatPassed) {
  const Json report = verify_json(run_with_hits());
  EXPECT_EQ(schema_fault(report), "");
  EXPECT_EQ(report["device"]["capability"], "9.0");
  EXPECT_EQ(report["device"]["witnesses"], "device tags and CUPTI 13.0");
  ASSERT_EQ(report["hits"].size(), 1u);
  const Json& hit = report["hits"][0];
  EXPECT_EQ(hit["route"], "score.cublas_single");
  EXPECT_EQ(hit["tags"], 4);
  EXPECT_EQ(hit["records"], 6);
  EXPECT_EQ(hit["witnesses"], (Json{"device tags", "CUPTI"}));
  EXPECT_EQ(hit["symbols"][0]["launches"], 2);
  EXPECT_EQ(hit["symbols"][0]["microseconds"], 9.0);
  const Json& missed = report["checks"].back();
  EXPECT_EQ(missed["calls"], 1);
  EXPECT_EQ(missed["misses"][0], "wrong nonce");
}

TEST(ReportJson, OfARunWithoutADeviceHasNoHits) {
  EXPECT_FALSE(verify_json(sample_run()).contains("hits"));
  EXPECT_FALSE(verify_json(sample_run()).contains("device"));
}

TEST(RouteEvidence, KeepsTheFirstMissesAndCountsTheRest) {
  RouteEvidence evidence, other;
  dispatch::Reconciliation call;
  for (int i = 0; i < 20; ++i) call.misses.push_back(std::to_string(i));
  evidence.add(call);
  EXPECT_EQ(evidence.misses.size(), RouteEvidence::kMostMisses);
  EXPECT_EQ(evidence.misses_left_out, 4);
  other.add(evidence);
  other.add(evidence);
  EXPECT_EQ(other.calls, 2);
  EXPECT_EQ(other.misses_left_out, 4 + 4 + 16);
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
