#include "gpu/dispatch/attention_routes.h"
#include "tests/dispatch/plan_helpers.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

std::vector<std::pair<std::int64_t, std::int64_t>> chunk_sizes(const SegmentPlan& segment) {
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
  for (const ChunkGroup& group : segment.groups) sizes.emplace_back(group.rows, group.count);
  return sizes;
}
using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(Plan, WorkedExampleOf29000Tokens) {
  const Plan plan = make_plan(input_of(benchmark_batch(29'000)));
  const SegmentPlan& segment = plan.segments.at(0);
  EXPECT_EQ(segment.score_columns, 7'250);
  EXPECT_EQ(segment.chunks.piece, 4'628);
  EXPECT_EQ(chunk_sizes(segment), (Sizes{{1'616, 1}}));
  EXPECT_EQ(segment.groups[0].tiles, (Partition{7'250, 2'560}));
  EXPECT_EQ(segment.groups[0].tiles.count(), 3);
}

TEST(Plan, WorkedExampleOf184000Tokens) {
  const Plan plan = make_plan(input_of(benchmark_batch(184'000)));
  const SegmentPlan& segment = plan.segments.at(0);
  EXPECT_EQ(segment.score_columns, 46'000);
  EXPECT_EQ(chunk_sizes(segment), (Sizes{{729, 2}, {158, 1}}));
  EXPECT_EQ(segment.groups[0].tiles, (Partition{46'000, 5'632}));
  EXPECT_EQ(segment.groups[0].tiles.count(), 9);
  EXPECT_EQ(segment.groups[1].tiles, (Partition{46'000, 26'368}));
  EXPECT_EQ(segment.groups[1].tiles.count(), 2);
}

TEST(Plan, WorkedExampleOf249950TokensEndsInACompactChunk) {
  const Plan plan = make_plan(input_of(benchmark_batch(249'950)));
  const SegmentPlan& segment = plan.segments.at(0);
  EXPECT_EQ(segment.score_columns, 62'487);
  EXPECT_EQ(chunk_sizes(segment), (Sizes{{536, 3}, {8, 1}}));
  EXPECT_EQ(segment.groups[0].topk.route, Route::topk_lexicographic_generic);
  EXPECT_EQ(segment.groups[1].topk.route, Route::topk_lexicographic_compact);
}

TEST(Plan, ThePagedScorerChunksByCapacity) {
  const Plan plan = make_plan(input_of(benchmark_batch(29'000), {7, 5}, "exact70"));
  EXPECT_EQ(plan.segments.at(0).score_columns, 65'650);
  EXPECT_EQ(chunk_sizes(plan.segments.at(0)), (Sizes{{511, 3}, {83, 1}}));
}

TEST(Plan, NamesTheGeometryOfItsLaunches) {
  const Plan plan = make_plan(input_of(benchmark_batch(29'000)));
  const ChunkGroup& group = first_group(plan);
  EXPECT_EQ(group.score_grid, (Grid{1'616, 10}));
  EXPECT_EQ(group.expand_grid, (Grid{1'616, 9}));
}

TEST(Plan, ABatchWithoutRowsHasNoDecisions) {
  PlanInput input = input_of(benchmark_batch(29'000, 0));
  input.batch.attention = make_attention(0, 24, 2, 1);
  const Plan plan = make_plan(input);
  EXPECT_TRUE(plan.segments.empty());
  EXPECT_FALSE(plan.attention);
}

TEST(Plan, TakesGivenVisibleCountsInsteadOfLengths) {
  PlanInput input = input_of(benchmark_batch(29'000));
  input.batch.visible_max = {6'000};
  EXPECT_EQ(make_plan(input).segments.at(0).score_columns, 6'000);
}

TEST(Plan, NegativeVisibleCountsSeeNothing) {
  PlanInput input = input_of(benchmark_batch(29'000, 2'048));
  input.batch.visible_max = {-3};
  EXPECT_EQ(make_plan(input).segments.at(0).score_columns, 512);
}

TEST(Plan, RaisesAMalformedPolicyOnlyWhereAGateReadsIt) {
  PlanInput input = input_of(benchmark_batch(29'000));
  input.policy = Policy({}, {{"VLLM_SM70_QSA_INDEXER_CUBLAS_MIN_ROWS", "many"}}, true);
  EXPECT_THROW(make_plan(input), std::invalid_argument);
  input.capability = {8, 0};
  EXPECT_NO_THROW(make_plan(input));
}

TEST(ForcedPlan, TakesTheRouteAndNamesTheGateItPassedOver) {
  PlanInput input = input_of(benchmark_batch(29'000), {9, 0}, "exact70");
  input.forced.score = Route::score_cublas_single;
  input.forced.topk = Route::topk_lexicographic;
  const Plan plan = make_plan(input);
  const ChunkGroup& group = first_group(plan);
  EXPECT_EQ(group.score.route, Route::score_cublas_single);
  EXPECT_TRUE(group.score.forced);
  EXPECT_EQ(verdict_on(group.score, Route::score_cublas_single), "capability");
  EXPECT_EQ(group.topk.route, Route::topk_lexicographic_generic);
  EXPECT_EQ(verdict_on(group.topk, Route::topk_lexicographic), "capability");
  EXPECT_TRUE(plan.supported());
}

TEST(ForcedPlan, PassesOverRowsAndWorkToo) {
  PlanInput input = input_of(make_batch({{1, 4'000}}, 64, 64), {9, 0});
  input.forced.score = Route::score_cublas_single;
  const Plan plan = make_plan(input);
  EXPECT_TRUE(first_group(plan).score.supported());
  EXPECT_EQ(plan.segments[0].score_columns, 1'000);
}

TEST(ForcedPlan, CannotScoreSeveralRequestsAsOne) {
  PlanInput input = input_of(make_batch({{600, 9'000}, {600, 9'000}}, 64, 64));
  input.forced.score = Route::score_cublas_single;
  EXPECT_FALSE(first_group(make_plan(input)).score.supported());
}

TEST(ForcedPlan, ForcedSplitCutsEveryRequest) {
  PlanInput input = input_of(make_batch({{5, 9'000}, {0, 10}, {7, 9'000}}, 64, 64), {9, 0});
  input.forced.score = Route::score_cublas_split;
  const Plan plan = make_plan(input);
  ASSERT_EQ(plan.segments.size(), 2u);
  EXPECT_EQ(plan.segments[1].segment, (Segment{{5, 12}, 2}));
  for (const SegmentPlan& segment : plan.segments) {
    EXPECT_EQ(segment.groups.at(0).score.route, Route::score_cublas_split);
    EXPECT_TRUE(segment.groups.at(0).score.supported());
  }
}

TEST(ForcedPlan, ForcedSplitStillRefusesPaddedRows) {
  PlanInput input = input_of(make_batch({{600, 9'000}, {600, 9'000}}, 64, 64));
  input.batch.query_starts->back() = 1'199;
  input.forced.score = Route::score_cublas_split;
  EXPECT_FALSE(make_plan(input).supported());
}

TEST(ForcedPlan, ForcedPagedStaysWholeAndPaged) {
  PlanInput input = input_of(make_batch({{600, 9'000}, {600, 9'000}}, 64, 64));
  input.forced.score = Route::score_paged;
  const Plan plan = make_plan(input);
  ASSERT_EQ(plan.segments.size(), 1u);
  EXPECT_EQ(first_group(plan).score.route, Route::score_paged);
}

TEST(ForcedPlan, EveryVariantCanBeForced) {
  for (const Route route : {Route::topk_lexicographic_decode, Route::topk_lexicographic_compact,
                            Route::topk_lexicographic_generic, Route::topk_persistent}) {
    PlanInput input = input_of(benchmark_batch(29'000), {9, 0});
    input.forced.topk = route;
    EXPECT_EQ(first_group(make_plan(input)).topk.route, route);
    EXPECT_TRUE(make_plan(input).supported()) << name_of(route);
  }
}

TEST(ForcedPlan, IdentityCannotBeForcedOnRowsThatSelect) {
  PlanInput input = input_of(benchmark_batch(29'000));
  input.forced.topk = Route::topk_lexicographic_identity;
  EXPECT_FALSE(make_plan(input).supported());
}

TEST(ForcedPlan, ARouteOfAnotherStageIsRefused) {
  PlanInput input = input_of(benchmark_batch(29'000));
  input.forced.score = Route::topk_persistent;
  EXPECT_THROW(make_plan(input), std::invalid_argument);
  input.forced.score = Route::none;
  EXPECT_THROW(make_plan(input), std::invalid_argument);
}

}  // namespace
}  // namespace plumbline::dispatch
