#include "gpu/dispatch/select_routes.h"

#include "gpu/dispatch/explain.h"
#include "tests/dispatch/plan_helpers.h"

#include <stdexcept>

#include <gtest/gtest.h>

// Both sides of every gate of the fused selections.
namespace plumbline::dispatch {
namespace {

constexpr Route kRoutes[] = {Route::select_fused, Route::select_two_kernel};

PlanInput hopper_input() { return input_of(benchmark_batch(184'000), {9, 0}, "proven"); }

std::string verdict(const PlanInput& input, Route route) {
  const Decision decision = decide_select(input, route);
  EXPECT_EQ(decision.supported(), verdict_on(decision, route) == "passes");
  return verdict_on(decision, route);
}

TEST(SelectRoutes, RunOnCapability90Alone) {
  for (const Route route : kRoutes) {
    EXPECT_EQ(verdict(hopper_input(), route), "passes");
    for (const Capability other :
         {Capability{7, 5}, Capability{8, 9}, Capability{10, 0}, Capability{12, 0}}) {
      PlanInput input = hopper_input();
      input.capability = other;
      EXPECT_EQ(verdict(input, route), "capability") << to_string(other);
    }
  }
}

TEST(SelectRoutes, TakeHalvesOfOneKind) {
  for (const Route route : kRoutes) {
    PlanInput input = hopper_input();
    input.batch.query.type = ElementType::bfloat16;
    EXPECT_EQ(verdict(input, route), "dtype");
    input.batch.key_cache.type = ElementType::bfloat16;
    EXPECT_EQ(verdict(input, route), "passes");
    input.batch.query.type = input.batch.key_cache.type = ElementType::float32;
    EXPECT_EQ(verdict(input, route), "dtype");
  }
}

TEST(SelectRoutes, TakeTheTilesHeadsAndDims) {
  for (const Route route : kRoutes) {
    for (const std::int64_t heads : {3, 5, 8, 64}) {
      PlanInput input = hopper_input();
      input.batch.query.shape[1] = heads;
      EXPECT_EQ(verdict(input, route), "heads") << heads;
    }
    for (const std::int64_t dim : {64, 127, 256}) {
      PlanInput input = hopper_input();
      input.batch.query.shape[2] = dim;
      EXPECT_EQ(verdict(input, route), "dim") << dim;
    }
    PlanInput input = hopper_input();
    input.batch.key_cache.shape[3] = 64;
    EXPECT_EQ(verdict(input, route), "cache_shape");
  }
}

TEST(SelectRoutes, TakeOneRequest) {
  const PlanInput input = input_of(make_batch({{5, 6000}, {7, 8000}}, 16, 200), {9, 0}, "proven");
  for (const Route route : kRoutes) EXPECT_EQ(verdict(input, route), "multiple_requests");
}

TEST(SelectRoutes, SelectUpTo1024Blocks) {
  for (const Route route : kRoutes) {
    PlanInput input = hopper_input();
    for (const auto& [k, expected] :
         {std::pair{0, "block_topk"}, {1, "passes"}, {1024, "passes"}, {1025, "block_topk"}}) {
      input.batch.block_topk = k;
      EXPECT_EQ(verdict(input, route), expected) << k;
    }
  }
}

TEST(SelectRoutes, ArePlannedByForceAlone) {
  PlanInput input = hopper_input();
  const Plan natural = make_plan(input);
  EXPECT_FALSE(natural.select);
  input.forced.select = Route::select_fused;
  const Plan forced = make_plan(input);
  ASSERT_TRUE(forced.select);
  EXPECT_EQ(forced.select->route, Route::select_fused);
  EXPECT_TRUE(forced.selection_supported());
  EXPECT_NE(forced.nonce, natural.nonce);
  EXPECT_NE(explain(forced).find("select: select.fused  forced"), std::string::npos);
  input.forced.select = Route::select_two_kernel;
  EXPECT_NE(make_plan(input).nonce, forced.nonce);
}

TEST(SelectRoutes, ForcedOutOfReachIsUnsupportedWithTheReason) {
  PlanInput input = hopper_input();
  input.capability = {8, 0};
  input.forced.select = Route::select_fused;
  const Plan plan = make_plan(input);
  EXPECT_FALSE(plan.selection_supported());
  EXPECT_NE(explain(plan).find("cannot be forced: capability (observed 8.0, required exactly 9.0 (sm_90a))"),
            std::string::npos);
}

TEST(HopperScorer, IsPlannedByForceAloneAndAsksForTheTilesInputs) {
  PlanInput input = hopper_input();
  EXPECT_NE(first_group(make_plan(input)).score.route, Route::score_hopper);
  input.forced.score = Route::score_hopper;
  EXPECT_EQ(first_group(make_plan(input)).score.route, Route::score_hopper);
  EXPECT_EQ(score_verdict(input, Route::score_hopper), "passes");
  EXPECT_TRUE(make_plan(input).selection_supported());
  input.capability = {8, 9};
  EXPECT_EQ(score_verdict(input, Route::score_hopper), "capability");
  EXPECT_FALSE(make_plan(input).selection_supported());
  PlanInput several = input_of(make_batch({{5, 6000}, {7, 8000}}, 16, 200), {9, 0}, "proven");
  several.forced.score = Route::score_hopper;
  EXPECT_EQ(score_verdict(several, Route::score_hopper), "multiple_requests");
}

TEST(SelectRoutes, RefuseAScorerOrTopkForcedBesideThem) {
  PlanInput input = hopper_input();
  input.forced.select = Route::select_fused;
  input.forced.topk = Route::topk_persistent;
  EXPECT_THROW(make_plan(input), std::invalid_argument);
  input.forced.topk.reset();
  input.forced.score = Route::score_paged;
  EXPECT_THROW(make_plan(input), std::invalid_argument);
  input.forced.score.reset();
  input.forced.select = Route::score_paged;
  EXPECT_THROW(make_plan(input), std::invalid_argument);
}

}  // namespace
}  // namespace plumbline::dispatch
