#include "gpu/dispatch/cublas_gates.h"

#include "tests/dispatch/plan_helpers.h"

#include <gtest/gtest.h>

// Both sides of every gate of the single-request cuBLAS route.
namespace plumbline::dispatch {
namespace {

constexpr std::int64_t kLength = 29'000;

TEST(CublasSingle, TakesTheBenchmarkBatch) {
  const Plan plan = make_plan(input_of(benchmark_batch(kLength)));
  EXPECT_EQ(first_group(plan).score.route, Route::score_cublas_single);
  EXPECT_TRUE(plan.supported());
}

TEST(CublasSingle, GivesWayToThePagedScorerWhenThePolicyIsOff) {
  PlanInput input = input_of(benchmark_batch(kLength));
  input.policy = Policy({}, {{"VLLM_SM70_QSA_INDEXER_CUBLAS", "0"}}, true);
  EXPECT_EQ(score_verdict(input), "policy_disabled");
  EXPECT_EQ(first_group(make_plan(input)).score.route, Route::score_paged);
}

TEST(CublasSingle, TheGateSetDecidesOnTuring) {
  EXPECT_EQ(score_verdict(input_of(benchmark_batch(kLength), {7, 5}, "exact70")), "capability");
  EXPECT_EQ(score_verdict(input_of(benchmark_batch(kLength), {7, 5}, "family7x")), "passes");
  EXPECT_EQ(score_verdict(input_of(benchmark_batch(kLength), {7, 0}, "exact70")), "passes");
  EXPECT_EQ(score_verdict(input_of(benchmark_batch(kLength), {8, 0}, "family7x")), "capability");
}

TEST(CublasSingle, NamesWhatItObservedAndWhatItRequires) {
  const Plan plan = make_plan(input_of(benchmark_batch(kLength), {7, 5}, "exact70"));
  const Gate* failed = first_group(plan).score.candidates.at(1).first_failed();
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->observed, "7.5");
  EXPECT_EQ(failed->required, "exactly 7.0");
}

TEST(CublasSingle, NeedsTheMinimumOfRows) {
  EXPECT_EQ(score_verdict(input_of(benchmark_batch(kLength, 511))), "rows_below_min");
  EXPECT_EQ(score_verdict(input_of(benchmark_batch(kLength, 512))), "passes");
  EXPECT_EQ(score_verdict(input_of(benchmark_batch(kLength, 513))), "passes");
}

TEST(CublasSingle, TakesTheMinimumOfRowsFromThePolicy) {
  PlanInput input = input_of(benchmark_batch(kLength, 255));
  input.policy = Policy({{PolicyField::qsa_cublas_min_rows, 256}}, {}, true);
  EXPECT_EQ(score_verdict(input), "rows_below_min");
  input.batch = benchmark_batch(kLength, 256);
  EXPECT_EQ(score_verdict(input), "passes");
}

TEST(CublasSingle, NeedsHalfPrecisionOnBothSides) {
  PlanInput query = input_of(benchmark_batch(kLength));
  query.batch.query.type = ElementType::bfloat16;
  EXPECT_EQ(score_verdict(query), "dtype");
  PlanInput cache = input_of(benchmark_batch(kLength));
  cache.batch.key_cache.type = ElementType::bfloat16;
  EXPECT_EQ(score_verdict(cache), "dtype");
}

TEST(CublasSingle, NeedsFourHeadsOf128) {
  for (const auto& [heads, dim] :
       {std::pair{3, 128}, std::pair{5, 128}, std::pair{4, 64}, std::pair{4, 256}}) {
    PlanInput input = input_of(benchmark_batch(kLength));
    input.batch.query = contiguous(ElementType::float16, {1616, heads, dim});
    EXPECT_EQ(score_verdict(input), "query_shape") << heads << " " << dim;
  }
}

TEST(CublasSingle, NeedsAThreeDimensionalQuery) {
  PlanInput input = input_of(benchmark_batch(kLength));
  input.batch.query = contiguous(ElementType::float16, {1616, 512});
  EXPECT_EQ(score_verdict(input), "query_shape");
}

TEST(CublasSingle, AsksNothingOfTheStrides) {
  PlanInput input = input_of(benchmark_batch(kLength));
  input.batch.query.strides = {2048, 256, 2};
  input.batch.key_cache.strides[0] += 1024;
  EXPECT_EQ(score_verdict(input), "passes");
}

TEST(CublasSingle, NeedsACacheOfOneHeadOf128) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{325, 202, 2, 128}, {325, 202, 1, 64}, {325, 202, 128}}) {
    PlanInput input = input_of(benchmark_batch(kLength));
    input.batch.key_cache = contiguous(ElementType::float16, shape);
    EXPECT_EQ(score_verdict(input), "cache_shape") << to_string(shape);
  }
}

TEST(CublasSingle, NeedsASinglePageTableRow) {
  PlanInput input = input_of(make_batch({{1000, 29'000}, {616, 29'000}}, 202, 325));
  input.batch.query_starts.reset();
  EXPECT_EQ(score_verdict(input), "multiple_requests");
}

TEST(CublasSingle, NeedsAMebiOfScores) {
  EXPECT_EQ(score_verdict(input_of(make_batch({{512, 8192}}, 64, 64))), "passes");  // 512 x 2048 = 2^20
  EXPECT_EQ(score_verdict(input_of(make_batch({{512, 8188}}, 64, 64))), "score_work_below_min");
  EXPECT_EQ(score_verdict(input_of(make_batch({{1024, 2048}}, 64, 64))), "score_work_below_min");
  EXPECT_EQ(score_verdict(input_of(make_batch({{2048, 2048}}, 64, 64))), "passes");
}

TEST(CublasSingle, ComparesTheScoresOneByOne) {
  PlanInput input = input_of(make_batch({{600, 4'000}}, 64, 64));
  for (const auto& [minimum, verdict] : {std::pair{599'999, "passes"}, std::pair{600'000, "passes"},
                                         std::pair{600'001, "score_work_below_min"}}) {
    input.policy = Policy({{PolicyField::qsa_cublas_min_score_elements, minimum}}, {}, true);
    EXPECT_EQ(score_verdict(input), verdict) << minimum;
  }
}

TEST(CublasSingle, FallsBackToTheCapacityWhenTheWorkIsTooSmall) {
  const Plan plan = make_plan(input_of(make_batch({{512, 8188}}, 64, 64)));
  EXPECT_EQ(first_group(plan).score.route, Route::score_paged);
  EXPECT_EQ(plan.segments.at(0).score_columns, 4096);
}

TEST(CublasSingle, ChecksInTheDocumentedOrder) {
  PlanInput input = input_of(make_batch({{8, 100}, {8, 100}}, 2, 16, ElementType::bfloat16), {8, 0});
  input.batch.query = contiguous(ElementType::bfloat16, {16, 3, 64});
  input.batch.key_cache = contiguous(ElementType::bfloat16, {32, 2, 1, 64});
  input.policy = Policy({{PolicyField::qsa_indexer_cublas, 0}}, {}, true);
  const auto verdict = [&] { return score_verdict(input); };
  EXPECT_EQ(verdict(), "policy_disabled");
  input.policy = Policy();
  EXPECT_EQ(verdict(), "capability");
  input.capability = {7, 5};
  EXPECT_EQ(verdict(), "rows_below_min");
  input.policy = Policy({{PolicyField::qsa_cublas_min_rows, 16}}, {}, true);
  EXPECT_EQ(verdict(), "dtype");
  input.batch.query.type = input.batch.key_cache.type = ElementType::float16;
  EXPECT_EQ(verdict(), "query_shape");
  input.batch.query = contiguous(ElementType::float16, {16, 4, 128});
  EXPECT_EQ(verdict(), "cache_shape");
  input.batch.key_cache = contiguous(ElementType::float16, {32, 2, 1, 128});
  EXPECT_EQ(verdict(), "multiple_requests");
}

}  // namespace
}  // namespace plumbline::dispatch
