#include "tests/dispatch/plan_helpers.h"

#include <gtest/gtest.h>

// The paged scorer is the last resort: what even it cannot score leaves the stage without a route.
namespace plumbline::dispatch {
namespace {

PlanInput decode_input() {
  return input_of(make_batch({{1, 29'000}}, 16, 512, ElementType::bfloat16), {9, 0});
}
std::string verdict(const PlanInput& input) { return score_verdict(input, Route::score_paged); }

TEST(Paged, TakesAnyFloatingTypeOnAnyCapability) {
  for (const ElementType type : {ElementType::float16, ElementType::bfloat16, ElementType::float32}) {
    PlanInput input = decode_input();
    input.batch.query.type = input.batch.key_cache.type = type;
    EXPECT_EQ(verdict(input), "passes") << name_of(type);
  }
}

TEST(Paged, NeedsFloatingPoint) {
  PlanInput input = decode_input();
  input.batch.key_cache.type = ElementType::uint8;
  EXPECT_EQ(verdict(input), "dtype");
  EXPECT_EQ(first_group(make_plan(input)).score.route, Route::none);
  EXPECT_FALSE(make_plan(input).supported());
}

TEST(Paged, TakesOtherHeadsAndDims) {
  PlanInput input = decode_input();
  input.batch.query = contiguous(ElementType::bfloat16, {1, 3, 64});
  input.batch.key_cache = contiguous(ElementType::bfloat16, {512, 16, 1, 64});
  EXPECT_EQ(verdict(input), "passes");
}

TEST(Paged, NeedsAThreeDimensionalQuery) {
  PlanInput input = decode_input();
  input.batch.query = contiguous(ElementType::bfloat16, {1, 512});
  EXPECT_EQ(verdict(input), "query_shape");
}

TEST(Paged, NeedsACacheOfTheQuerysDim) {
  PlanInput input = decode_input();
  input.batch.key_cache = contiguous(ElementType::bfloat16, {512, 16, 1, 64});
  EXPECT_EQ(verdict(input), "cache_shape");
}

TEST(Paged, NeedsAPageTable) {
  PlanInput input = decode_input();
  input.batch.page_table = contiguous(ElementType::int32, {1, 0});
  EXPECT_EQ(verdict(input), "page_table_empty");
}

TEST(Paged, LaunchesNarrowBlocksForOneRowOnSevenZeroAlone) {
  const auto grid = [](Capability capability, std::int64_t rows) {
    return first_group(make_plan(input_of(make_batch({{rows, 29'000}}, 16, 512), capability))).score_grid;
  };
  EXPECT_EQ(grid({7, 0}, 1), (Grid{1, 256}));
  EXPECT_EQ(grid({7, 5}, 1), (Grid{1, 128}));
  EXPECT_EQ(grid({7, 0}, 2), (Grid{2, 128}));
  EXPECT_EQ(grid({7, 0}, 32), (Grid{32, 128}));
  EXPECT_EQ(grid({7, 0}, 33), (Grid{33, 16}));
}

}  // namespace
}  // namespace plumbline::dispatch
