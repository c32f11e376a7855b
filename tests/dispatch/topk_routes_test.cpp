#include "gpu/dispatch/topk_routes.h"

#include "tests/dispatch/plan_helpers.h"

#include <gtest/gtest.h>

// Both sides of every gate of the top-k.
namespace plumbline::dispatch {
namespace {

struct TopkCase {
  std::int64_t rows = 64;
  std::int64_t columns = 10'000;
  Capability capability = {7, 5};
  std::string gates = "family7x";
  std::int64_t block_topk = 512;
};

PlanInput make_input(const TopkCase& c) {
  PlanInput input = input_of(make_batch({{c.rows, 40}}, 1, 16), c.capability, c.gates);
  input.batch.block_topk = c.block_topk;
  return input;
}
Decision decide(const TopkCase& c) {
  const PlanInput input = make_input(c);
  return decide_topk({input, c.rows, c.columns});
}

TEST(ExactTopk, TheGateSetDecidesOnTuring) {
  EXPECT_EQ(decide({.gates = "exact70"}).route, Route::topk_persistent);
  EXPECT_EQ(verdict_on(decide({.gates = "exact70"}), Route::topk_lexicographic), "capability");
  EXPECT_EQ(decide({.gates = "family7x"}).route, Route::topk_lexicographic_generic);
  EXPECT_EQ(decide({.capability = {7, 0}, .gates = "exact70"}).route, Route::topk_lexicographic_generic);
  EXPECT_EQ(decide({.capability = {8, 0}}).route, Route::topk_persistent);
}

TEST(ExactTopk, ServesATopkOf512Alone) {
  for (const std::int64_t k : {511, 513, 1024}) {
    EXPECT_EQ(verdict_on(decide({.block_topk = k}), Route::topk_lexicographic), "block_topk") << k;
  }
  EXPECT_EQ(verdict_on(decide({.block_topk = 512}), Route::topk_lexicographic), "passes");
}

TEST(ExactTopk, IsTheIdentityWhereNoRowCanHoldMore) {
  EXPECT_EQ(decide({.columns = 511}).route, Route::topk_lexicographic_identity);
  EXPECT_EQ(decide({.columns = 512}).route, Route::topk_lexicographic_identity);
  EXPECT_EQ(decide({.columns = 513}).route, Route::topk_lexicographic_generic);
}

TEST(ExactTopk, CompactsFewRowsOfManyColumns) {
  EXPECT_EQ(decide({.rows = 32, .columns = 32'768}).route, Route::topk_lexicographic_compact);
  EXPECT_EQ(decide({.rows = 1, .columns = 32'768}).route, Route::topk_lexicographic_compact);
  EXPECT_EQ(decide({.rows = 5, .columns = 32'769}).route, Route::topk_lexicographic_compact);
  EXPECT_EQ(verdict_on(decide({.rows = 33, .columns = 32'768}), Route::topk_lexicographic_compact),
            "rows_above_32");
  EXPECT_EQ(verdict_on(decide({.rows = 31, .columns = 32'767}), Route::topk_lexicographic_compact),
            "columns_below_32768");
}

TEST(ExactTopk, DecodesASingleRow) {
  EXPECT_EQ(decide({.rows = 1, .columns = 32'767}).route, Route::topk_lexicographic_decode);
  EXPECT_EQ(decide({.rows = 2}).route, Route::topk_lexicographic_generic);
}

TEST(ExactTopk, PlansTheBatchVariantForFiveAndTenRows) {
  for (const std::int64_t rows : {5, 10}) {
    EXPECT_EQ(decide({.rows = rows, .columns = 9'216}).route, Route::topk_lexicographic_mtp);
    EXPECT_FALSE(decide({.rows = rows, .columns = 9'216}).supported());
    EXPECT_EQ(verdict_on(decide({.rows = rows, .columns = 9'217}), Route::topk_lexicographic_mtp),
              "columns_above_9216");
  }
  for (const std::int64_t rows : {4, 6, 9, 11, 16, 17}) {
    EXPECT_EQ(verdict_on(decide({.rows = rows, .columns = 9'216}), Route::topk_lexicographic_mtp),
              "rows_not_5_or_10");
    EXPECT_EQ(decide({.rows = rows, .columns = 9'216}).route, Route::topk_lexicographic_generic);
  }
}

TEST(ExactTopk, ThePolicySwitchesTheBatchVariantOff) {
  PlanInput input = make_input({.rows = 5});
  input.policy = Policy({}, {{"VLLM_SM70_QSA_MTP_TOPK", "0"}}, true);
  EXPECT_EQ(decide_topk({input, 5, 9'216}).route, Route::topk_lexicographic_generic);
}

TEST(ExactTopk, TheBatchVariantBypassesASidecar) {
  PlanInput input = make_input({});
  input.extensions.topk_sidecar = true;
  input.batch = make_batch({{5, 29'000}}, 202, 40);
  EXPECT_FALSE(first_group(make_plan(input)).topk_from_sidecar);
  input.batch = make_batch({{6, 29'000}}, 202, 40);
  EXPECT_TRUE(first_group(make_plan(input)).topk_from_sidecar);
}

TEST(CooperativeTopk, IsPlannedOnHopperForFewRowsButUnsupported) {
  const Decision decision = decide({.rows = 32, .capability = {9, 0}});
  EXPECT_EQ(decision.route, Route::topk_cooperative);
  EXPECT_FALSE(decision.supported());
  EXPECT_EQ(decide({.rows = 32, .capability = {10, 0}}).route, Route::topk_cooperative);
}

TEST(CooperativeTopk, NeedsAtMost32Rows) {
  EXPECT_EQ(verdict_on(decide({.rows = 33, .capability = {9, 0}}), Route::topk_cooperative), "rows_above_32");
}

TEST(CooperativeTopk, NeedsAnAlignedStride) {
  for (const std::int64_t columns : {9'997, 9'998, 9'999}) {
    EXPECT_EQ(
        verdict_on(decide({.rows = 8, .columns = columns, .capability = {9, 0}}), Route::topk_cooperative),
        "stride_not_multiple_of_4");
  }
}

TEST(CooperativeTopk, NeedsHopperOrLaterButNotTwelve) {
  for (const Capability capability : {Capability{8, 9}, Capability{12, 0}, Capability{12, 1}}) {
    EXPECT_EQ(verdict_on(decide({.rows = 8, .capability = capability}), Route::topk_cooperative),
              "capability");
    EXPECT_EQ(decide({.rows = 8, .capability = capability}).route, Route::topk_persistent);
  }
}

TEST(PersistentTopk, ServesThreeSizes) {
  for (const std::int64_t k : {512, 1'024, 2'048}) {
    EXPECT_EQ(decide({.capability = {8, 0}, .block_topk = k}).route, Route::topk_persistent) << k;
  }
  for (const std::int64_t k : {511, 513, 2'047, 4'096}) {
    EXPECT_EQ(decide({.capability = {8, 0}, .block_topk = k}).route, Route::none) << k;
    EXPECT_FALSE(decide({.capability = {8, 0}, .block_topk = k}).supported());
  }
}

TEST(ProductTopk, IsForcedBesideTheCublasScorerForUpTo1024Blocks) {
  const auto supported = [](std::optional<Route> score, std::int64_t k) {
    PlanInput input = input_of(benchmark_batch(184'000), {9, 0}, "exact70");
    input.batch.block_topk = k;
    input.forced.score = score;
    input.forced.topk = Route::topk_products;
    return make_plan(input).selection_supported();
  };
  EXPECT_TRUE(supported(Route::score_cublas_single, 1));
  EXPECT_TRUE(supported(Route::score_cublas_single, 1024));
  EXPECT_FALSE(supported(Route::score_cublas_single, 1025));
  EXPECT_FALSE(supported(Route::score_paged, 512));
  EXPECT_FALSE(supported(std::nullopt, 512));
}

// The engine's operation has three sizes, our kernel any.
TEST(PersistentTopk, ServesWhatOurKernelDoesWhereItIsForced) {
  for (const auto& [k, served] : {std::pair{1, true}, {64, true}, {2'048, true}, {2'049, false}}) {
    PlanInput input = input_of(benchmark_batch(184'000), {8, 0}, "exact70");
    input.batch.block_topk = k;
    input.forced.topk = Route::topk_persistent;
    EXPECT_EQ(make_plan(input).selection_supported(), served) << k;
  }
}

}  // namespace
}  // namespace plumbline::dispatch
