#include "gpu/dispatch/explain.h"

#include "tests/dispatch/plan_helpers.h"

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

bool mentions(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Explain, PrintsTheWholeDecisionTree) {
  PlanInput input = input_of(make_batch({{600, 29'000}}, 202, 40));
  input.batch.attention = make_attention(600, 24, 2, 1);
  std::string text = explain(make_plan(input));
  text.erase(0, text.find('\n') + 1);
  EXPECT_EQ(
      text,
      "policy 308fd4271271e980: all defaults\n"
      "segment of rows 0-599: 7250 score columns\n"
      "  1 chunk of 600 rows from row 0, 2 tiles of 6912 columns\n"
      "    score: score.cublas_single\n"
      "      score.cublas_split           no: single_request (observed 1 page-table rows, required >= 2)\n"
      "      score.cublas_single          yes: 8 gates hold\n"
      "    topk: topk.lexicographic.generic\n"
      "      topk.lexicographic           yes: 2 gates hold\n"
      "      topk.lexicographic.identity  no: columns_above_topk (observed 7250 columns, required <= 512)\n"
      "      topk.lexicographic.compact   no: rows_above_32 (observed 600 rows, required <= 32)\n"
      "      topk.lexicographic.decode    no: multiple_rows (observed 600 rows, required 1)\n"
      "      topk.lexicographic.mtp       no: rows_not_5_or_10 (observed 600 rows, required 5 or 10)\n"
      "      topk.lexicographic.generic   yes\n"
      "    expand: expand.tokens\n"
      "      expand.tokens                yes\n"
      "attention of all rows: tiles of 16 tokens, 1 splits, 4 warps\n"
      "    attention: attention.direct\n"
      "      attention.page4              no: capability (observed 7.5, required exactly 7.0)\n"
      "      attention.resolved           no: capability (observed 7.5, required exactly 7.0)\n"
      "      attention.direct             yes: 5 gates hold\n");
}

TEST(Explain, BeginsWithWhatThePlanIsFor) {
  const Plan plan = make_plan(input_of(benchmark_batch(29'000)));
  EXPECT_EQ(explain(plan).rfind("capability 7.5, gates family7x, 1616 rows, nonce ", 0), 0u);
}

TEST(Explain, NamesTheGateAForcedRoutePassedOver) {
  PlanInput input = input_of(benchmark_batch(29'000), {8, 0});
  input.forced.score = Route::score_cublas_single;
  const std::string text = explain(make_plan(input));
  EXPECT_TRUE(mentions(text, "score: score.cublas_single  forced\n")) << text;
  EXPECT_TRUE(mentions(text, "forced past capability (observed 8.0, required family 7.x)")) << text;
}

TEST(Explain, SaysWhyARouteCannotBeForced) {
  PlanInput input = input_of(make_batch({{600, 9'000}, {600, 9'000}}, 64, 64));
  input.forced.score = Route::score_cublas_single;
  const std::string text = explain(make_plan(input));
  EXPECT_TRUE(mentions(text, "forced  UNSUPPORTED (a requirement fails)")) << text;
  EXPECT_TRUE(mentions(text, "cannot be forced: multiple_requests (observed 2 page-table rows, required 1)"));
}

TEST(Explain, MarksRoutesWithoutAKernel) {
  const std::string text = explain(make_plan(input_of(make_batch({{5, 29'000}}, 204, 64), {9, 0})));
  EXPECT_TRUE(mentions(text, "topk: topk.cooperative  UNSUPPORTED (no kernel here)")) << text;
}

TEST(Explain, MarksAStageWithoutARoute) {
  PlanInput input = input_of(benchmark_batch(29'000));
  input.batch.block_topk = 511;
  EXPECT_TRUE(mentions(explain(make_plan(input)), "topk: none  UNSUPPORTED (every candidate is rejected)"));
}

TEST(Explain, NamesTheSourceOfAChangedPolicy) {
  PlanInput input = input_of(benchmark_batch(29'000));
  input.policy = Policy({{PolicyField::qsa_score_tile_mb, 32}}, {{"VLLM_SM70_QSA_MTP_TOPK", "1"}}, true);
  EXPECT_TRUE(mentions(explain(make_plan(input)),
                       ": qsa_score_tile_mb from typed; qsa_mtp_topk from "
                       "VLLM_SM70_QSA_MTP_TOPK; others default\n"));
}

TEST(Explain, SaysThatNothingRunsWithoutRows) {
  EXPECT_TRUE(mentions(explain(make_plan(input_of(benchmark_batch(29'000, 0)))), "no rows: nothing runs\n"));
}

}  // namespace
}  // namespace plumbline::dispatch
