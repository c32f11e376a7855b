#include "gpu/dispatch/attention_routes.h"

#include "tests/dispatch/plan_helpers.h"

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

PlanInput attention_input(std::int64_t rows, Capability capability = {7, 5}) {
  PlanInput input = input_of(make_batch({{rows, 29'000}}, 196, 64), capability);
  input.batch.attention = make_attention(rows, 24, 2, 1);
  return input;
}
/// The one shape of the resolved-indices route.
PlanInput resolved_input(std::int64_t blocks = 21) {
  PlanInput input = attention_input(1, {7, 0});
  input.batch.attention = make_attention(1, 6, 1, 1);
  input.batch.attention->key_cache = contiguous(ElementType::float16, {blocks, 400, 1, 256});
  input.batch.attention->value_cache = input.batch.attention->key_cache;
  return input;
}
std::string resolved_verdict(const PlanInput& input) {
  return verdict_on(decide_attention(input).decision, Route::attention_resolved);
}

TEST(Attention, SplitsFewRowsAndWritesManyDirectly) {
  EXPECT_EQ(decide_attention(attention_input(256)).decision.route, Route::attention_splitk);
  EXPECT_EQ(decide_attention(attention_input(257)).decision.route, Route::attention_direct);
  EXPECT_EQ(decide_attention(attention_input(257)).launch.splits, 1);
  EXPECT_EQ(verdict_on(decide_attention(attention_input(1)).decision, Route::attention_direct),
            "several_splits");
}

TEST(Attention, ThePage4RouteIsExplainedAsRejected) {
  EXPECT_EQ(verdict_on(decide_attention(attention_input(64)).decision, Route::attention_page4), "capability");
}

TEST(Attention, TheResolvedRouteHasNoKernelHere) {
  for (const std::int64_t blocks : {21, 82, 656}) {
    EXPECT_EQ(resolved_verdict(resolved_input(blocks)), "kernel_unavailable") << blocks;
  }
}

TEST(Attention, TheResolvedRouteHasOneShape) {
  PlanInput input = resolved_input();
  input.capability = {7, 5};
  EXPECT_EQ(resolved_verdict(input), "capability");
  EXPECT_EQ(resolved_verdict(attention_input(1, {7, 0})), "query_shape");
  input = resolved_input();
  input.batch.attention->key_cache = contiguous(ElementType::float16, {21, 398, 1, 256});
  EXPECT_EQ(resolved_verdict(input), "cache_shape");
  input = resolved_input();
  input.batch.attention->key_cache.type = ElementType::uint8;
  EXPECT_EQ(resolved_verdict(input), "cache_shape");
  input = resolved_input();
  input.batch.attention->indices = contiguous(ElementType::int32, {1, 2'048});
  EXPECT_EQ(resolved_verdict(input), "indices_shape");
}

TEST(Attention, TheResolvedRouteNeedsSlotsOf31Bits) {
  EXPECT_EQ(resolved_verdict(resolved_input(5'368'709)), "kernel_unavailable");  // slots below 2^31
  EXPECT_EQ(resolved_verdict(resolved_input(5'368'710)), "slot_overflow");
}

TEST(Attention, RefusesShapesNoKernelTakes) {
  const auto route_after = [](auto change) {
    PlanInput input = attention_input(1);
    change(*input.batch.attention);
    return decide_attention(input).decision.route;
  };
  const auto half = ElementType::float16;
  EXPECT_EQ(route_after([&](AttentionBatch& a) { a.query = contiguous(half, {1, 24, 96}); }), Route::none);
  EXPECT_EQ(route_after([&](AttentionBatch& a) { a.query = contiguous(half, {1, 25, 256}); }), Route::none);
  EXPECT_EQ(route_after([&](AttentionBatch& a) { a.query.type = ElementType::float32; }), Route::none);
  EXPECT_EQ(route_after([&](AttentionBatch& a) { a.value_cache.type = ElementType::uint8; }), Route::none);
  EXPECT_EQ(route_after([&](AttentionBatch& a) {
              a.key_cache = contiguous(half, {64, 784, 0, 256});
            }),
            Route::none);
  EXPECT_EQ(route_after([&](AttentionBatch& a) { a.indices.type = ElementType::int64; }), Route::none);
  EXPECT_EQ(route_after([&](AttentionBatch&) {}), Route::attention_splitk);
}

TEST(Attention, AForcedDirectRouteUsesOneSplit) {
  PlanInput input = attention_input(4);
  input.forced.attention = Route::attention_direct;
  const AttentionPlan plan = decide_attention(input);
  EXPECT_EQ(plan.decision.route, Route::attention_direct);
  EXPECT_TRUE(plan.decision.forced);
  EXPECT_EQ(plan.launch.splits, 1);
  EXPECT_EQ(verdict_on(plan.decision, Route::attention_direct), "several_splits");
  EXPECT_TRUE(plan.decision.supported());
}

}  // namespace
}  // namespace plumbline::dispatch
