#include "gpu/dispatch/score_routes.h"
#include "tests/dispatch/plan_helpers.h"

#include <gtest/gtest.h>

// The multi-request split: both sides of every gate, and what its segments run.
namespace plumbline::dispatch {
namespace {

Batch mixed_batch() { return make_batch({{5, 6'000}, {1'024, 8'192}, {5, 9'000}}, 64, 40); }

std::string split_verdict(const PlanInput& input) { return score_verdict(input, Route::score_cublas_split); }

TEST(CublasSplit, CutsAMixedBatchAtTheLongRequest) {
  const Plan plan = make_plan(input_of(mixed_batch()));
  ASSERT_EQ(plan.segments.size(), 3u);
  EXPECT_EQ(plan.segments[0].segment, (Segment{{0, 5}, {}}));
  EXPECT_EQ(plan.segments[1].segment, (Segment{{5, 1'029}, 1}));
  EXPECT_EQ(plan.segments[2].segment, (Segment{{1'029, 1'034}, {}}));
  EXPECT_EQ(plan.segments[0].groups.at(0).score.route, Route::score_paged);
  EXPECT_EQ(plan.segments[1].groups.at(0).score.route, Route::score_cublas_split);
  EXPECT_EQ(plan.segments[2].groups.at(0).score.route, Route::score_paged);
}

TEST(CublasSplit, PlansALongRequestAsIfItWereAlone) {
  const Plan together = make_plan(input_of(mixed_batch()));
  const Plan alone = make_plan(input_of(make_batch({{1'024, 8'192}}, 64, 40)));
  EXPECT_EQ(together.segments[1].score_columns, alone.segments[0].score_columns);
  EXPECT_EQ(together.segments[1].groups.at(0).tiles, alone.segments[0].groups.at(0).tiles);
}

TEST(CublasSplit, SendsALongRequestWithLittleWorkToThePagedScorer) {
  const Plan plan = make_plan(input_of(make_batch({{5, 6'000}, {600, 2'100}}, 64, 40)));
  ASSERT_EQ(plan.segments.size(), 2u);
  const Decision& decision = plan.segments[1].groups.at(0).score;
  EXPECT_EQ(decision.route, Route::score_paged);
  EXPECT_EQ(verdict_on(decision, Route::score_cublas_split), "score_work_below_min");
}

TEST(CublasSplit, NamesShortRequestsAsTheReason) {
  const Plan plan = make_plan(input_of(mixed_batch()));
  const Decision& decision = plan.segments[0].groups.at(0).score;
  EXPECT_EQ(verdict_on(decision, Route::score_cublas_split), "rows_below_min");
  EXPECT_EQ(verdict_on(decision, Route::score_cublas_single), "rows_below_min");
}

TEST(CublasSplit, RefusesJoinedShortRequestsForTheirPageTables) {
  const Plan plan = make_plan(input_of(make_batch({{300, 9'000}, {300, 9'000}, {600, 9'000}}, 64, 40)));
  ASSERT_EQ(plan.segments.size(), 2u);
  EXPECT_EQ(verdict_on(plan.segments[0].groups.at(0).score, Route::score_cublas_single), "multiple_requests");
}

TEST(CublasSplit, NeedsHostQueryStarts) {
  PlanInput input = input_of(mixed_batch());
  input.batch.query_starts.reset();
  EXPECT_EQ(split_verdict(input), "query_starts_missing");
  EXPECT_EQ(make_plan(input).segments.size(), 1u);
}

TEST(CublasSplit, NeedsTwoRequests) {
  EXPECT_EQ(split_verdict(input_of(benchmark_batch(29'000))), "single_request");
  EXPECT_EQ(split_verdict(input_of(make_batch({{616, 29'000}, {1'000, 29'000}}, 202, 325))), "passes");
}

TEST(CublasSplit, NeedsThePolicy) {
  PlanInput input = input_of(mixed_batch());
  input.policy = Policy({{PolicyField::qsa_indexer_cublas, 0}}, {}, true);
  EXPECT_EQ(split_verdict(input), "policy_disabled");
}

TEST(CublasSplit, TheGateSetDecidesOnTuring) {
  EXPECT_EQ(split_verdict(input_of(mixed_batch(), {7, 5}, "exact70")), "capability");
  EXPECT_EQ(split_verdict(input_of(mixed_batch(), {8, 0}, "family7x")), "capability");
  EXPECT_EQ(make_plan(input_of(mixed_batch(), {7, 0}, "exact70")).segments.size(), 3u);
}

TEST(CublasSplit, NeedsHalfPrecisionAndTheModelsShapes) {
  PlanInput input = input_of(mixed_batch());
  input.batch.key_cache.type = ElementType::bfloat16;
  EXPECT_EQ(split_verdict(input), "dtype");
  input = input_of(mixed_batch());
  input.batch.query = contiguous(ElementType::float16, {1'034, 3, 128});
  EXPECT_EQ(split_verdict(input), "query_shape");
  input = input_of(mixed_batch());
  input.batch.key_cache = contiguous(ElementType::float16, {120, 64, 1, 64});
  EXPECT_EQ(split_verdict(input), "cache_shape");
}

TEST(CublasSplit, NeedsStartsFromZero) {
  PlanInput input = input_of(mixed_batch());
  input.batch.query_starts = {1, 5, 1'029, 1'034};
  EXPECT_EQ(split_verdict(input), "query_starts_not_zero_based");
}

TEST(CublasSplit, RefusesPaddedBatches) {
  PlanInput input = input_of(mixed_batch());
  input.batch.query_starts = {0, 5, 1'029, 1'033};
  EXPECT_EQ(split_verdict(input), "padded_rows");
  EXPECT_EQ(make_plan(input).segments.size(), 1u);
}

TEST(CublasSplit, NeedsALongRequest) {
  EXPECT_EQ(split_verdict(input_of(make_batch({{511, 29'000}, {511, 29'000}}, 202, 325))), "no_long_request");
  EXPECT_EQ(make_plan(input_of(make_batch({{511, 29'000}, {512, 29'000}}, 202, 325))).segments.size(), 2u);
  EXPECT_EQ(make_plan(input_of(make_batch({{511, 29'000}, {513, 29'000}}, 202, 325))).segments.size(), 2u);
}

}  // namespace
}  // namespace plumbline::dispatch
