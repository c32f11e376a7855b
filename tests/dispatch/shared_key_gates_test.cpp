#include "gpu/dispatch/score_routes.h"
#include "tests/dispatch/plan_helpers.h"

#include <gtest/gtest.h>

// Both sides of every gate of the small-batch scorer.
namespace plumbline::dispatch {
namespace {

PlanInput verify_input(std::int64_t rows = 5) {
  PlanInput input = input_of(make_batch({{rows, 29'000}}, 204, 64), {7, 0});
  input.batch.shared_key_scoring = true;
  return input;
}

std::string verdict(const PlanInput& input) { return score_verdict(input, Route::score_shared_key); }

TEST(SharedKey, IsPlannedButUnsupported) {
  const Plan plan = make_plan(verify_input());
  EXPECT_EQ(first_group(plan).score.route, Route::score_shared_key);
  EXPECT_FALSE(plan.supported());
}

TEST(SharedKey, IsOffUnlessAskedFor) {
  PlanInput input = verify_input();
  input.batch.shared_key_scoring = false;
  EXPECT_EQ(verdict(input), "shared_key_disabled");
  EXPECT_TRUE(make_plan(input).supported());
}

TEST(SharedKey, NeedsColumns) {
  PlanInput input = verify_input();
  input.batch.page_table = contiguous(ElementType::int32, {1, 0});
  EXPECT_EQ(verdict(input), "columns_out_of_range");
}

TEST(SharedKey, StaysOnSevenZeroUnderEveryGateSet) {
  for (const std::string& gates : gate_set_names()) {
    PlanInput input = verify_input();
    input.gates = gate_set(gates);
    EXPECT_EQ(verdict(input), "passes") << gates;
    input.capability = {7, 5};
    EXPECT_EQ(verdict(input), "requires_SM70") << gates;
  }
}

TEST(SharedKey, NeedsHalfPrecision) {
  PlanInput input = verify_input();
  input.batch.key_cache.type = ElementType::bfloat16;
  EXPECT_EQ(verdict(input), "requires_FP16_query_and_indexer_cache");
}

TEST(SharedKey, ServesTwoToEightRows) {
  EXPECT_EQ(verdict(verify_input(1)), "requires_M2_8_H4_D128");
  EXPECT_EQ(verdict(verify_input(2)), "passes");
  EXPECT_EQ(verdict(verify_input(8)), "passes");
  EXPECT_EQ(verdict(verify_input(9)), "requires_M2_8_H4_D128");
}

TEST(SharedKey, NeedsFourHeadsOf128) {
  PlanInput input = verify_input();
  input.batch.query = contiguous(ElementType::float16, {5, 3, 128});
  EXPECT_EQ(verdict(input), "requires_M2_8_H4_D128");
}

TEST(SharedKey, NeedsOneRequest) {
  PlanInput input = verify_input();
  input.batch = make_batch({{2, 29'000}, {3, 29'000}}, 204, 64);
  input.batch.shared_key_scoring = true;
  EXPECT_EQ(verdict(input), "multiple_requests");
}

TEST(SharedKey, NeedsInt32RequestMetadata) {
  for (TensorShape Batch::*tensor :
       {&Batch::token_to_request, &Batch::page_table, &Batch::sequence_lengths}) {
    PlanInput input = verify_input();
    (input.batch.*tensor).type = ElementType::int64;
    EXPECT_EQ(verdict(input), "requires_int32_request_metadata");
  }
}

TEST(SharedKey, TakesBothIntegerTypesOfPositionsAndNoOther) {
  PlanInput input = verify_input();
  input.batch.query_positions.type = ElementType::int32;
  EXPECT_EQ(verdict(input), "passes");
  input.batch.query_positions.type = ElementType::float32;
  EXPECT_EQ(verdict(input), "requires_integer_positions");
}

TEST(SharedKey, NeedsContiguousRowMetadata) {
  PlanInput input = verify_input();
  input.batch.query_positions.strides = {2};
  EXPECT_EQ(verdict(input), "noncontiguous_row_metadata");
}

TEST(SharedKey, NeedsTheEnginesExtension) {
  PlanInput input = verify_input();
  input.extensions.shared_key = false;
  EXPECT_EQ(verdict(input), "native_extension_unavailable");
}

}  // namespace
}  // namespace plumbline::dispatch
