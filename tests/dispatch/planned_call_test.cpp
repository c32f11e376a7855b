#include "gpu/dispatch/planned_call.h"

#include "gpu/dispatch/read_back.h"
#include "tests/dispatch/plan_helpers.h"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

PlanInput forced(std::optional<Route> score, std::optional<Route> topk, std::int64_t length = 184'000) {
  PlanInput input = input_of(benchmark_batch(length), {9, 0}, "exact70");
  input.forced.score = score;
  input.forced.topk = topk;
  return input;
}

PlanInput forced_select(Route route, std::int64_t length) {
  PlanInput input = input_of(benchmark_batch(length), {9, 0}, "exact70");
  input.forced.select = route;
  return input;
}

/// "score.paged visible_blocks 1-1, …"; an open end is left out.
std::string text(const PlanInput& input, CalledStages stages = CalledStages::all, std::int64_t times = 1) {
  std::string out;
  for (const PlannedLaunch& launch : planned_call(make_plan(input), input.batch, stages, times).launches) {
    out += out.empty() ? "" : ", ";
    out += std::string(name_of(launch.route)) + " " + std::string(name_of(launch.kernel)) + " " +
           std::to_string(launch.least) + "-";
    if (launch.most != PlannedLaunch::kAny) out += std::to_string(launch.most);
  }
  return out;
}

TEST(PlannedCall, NamesTheKernelsOfEachScorer) {
  EXPECT_EQ(text(forced(Route::score_cublas_single, Route::topk_lexicographic)),
            "score.cublas_single visible_blocks 1-1, score.cublas_single gather_keys 1-, "
            "score.cublas_single poison_product 0-, score.cublas_single library_product 1-, "
            "score.cublas_single score_epilogue 1-, topk.lexicographic topk_lexicographic 1-, "
            "expand.tokens expand_tokens 1-1");
  EXPECT_EQ(text(forced(Route::score_paged, Route::topk_persistent)),
            "score.paged visible_blocks 1-1, score.paged score_paged 1-, topk.persistent topk_persistent 1-, "
            "expand.tokens expand_tokens 1-1");
  EXPECT_EQ(text(forced(Route::score_hopper, Route::topk_lexicographic)),
            "score.hopper visible_blocks 1-1, score.hopper score_hopper 1-, "
            "topk.lexicographic topk_lexicographic 1-, expand.tokens expand_tokens 1-1");
}

TEST(PlannedCall, FromProductsWritesScoresOnlyWhereTheyAreAskedFor) {
  EXPECT_EQ(text(forced(Route::score_cublas_single, Route::topk_products)),
            "score.cublas_single visible_blocks 1-1, score.cublas_single gather_keys 1-, "
            "score.cublas_single poison_product 0-, score.cublas_single library_product 1-, "
            "score.cublas_single score_epilogue 0-, score.cublas_single count_poison 0-, "
            "topk.products topk_products 1-, expand.tokens expand_tokens 1-1");
}

TEST(PlannedCall, OfTheFusedSelectionsHasNoTopkOfItsOwn) {
  EXPECT_EQ(text(forced_select(Route::select_fused, 29'000)),
            "select.fused visible_blocks 1-1, select.fused fused_score 1-, select.fused list_selection 1-, "
            "select.fused handed_over_scores 1-, select.fused handed_over_selection 1-, "
            "expand.tokens expand_tokens 1-1");
}

TEST(PlannedCall, OfTwoKernelsReadsShortRowsBack) {
  const std::string short_rows = text(forced_select(Route::select_two_kernel, 4 * kReadBackColumns));
  EXPECT_NE(short_rows.find("select.two_kernel score_hopper 1-1, select.two_kernel topk_lexicographic 1-1"),
            std::string::npos)
      << short_rows;
  const std::string long_rows = text(forced_select(Route::select_two_kernel, 4 * kReadBackColumns + 4));
  EXPECT_NE(long_rows.find("select.two_kernel fused_score 1-"), std::string::npos) << long_rows;
}

TEST(PlannedCall, WithoutAScoreColumnScoresNothing) {
  EXPECT_EQ(text(forced(Route::score_cublas_single, Route::topk_lexicographic, 3)),
            "score.cublas_single visible_blocks 1-1, topk.lexicographic topk_lexicographic 1-, "
            "expand.tokens expand_tokens 1-1");
  EXPECT_EQ(text(forced_select(Route::select_fused, 3)),
            "select.fused visible_blocks 1-1, expand.tokens expand_tokens 1-1");
}

TEST(PlannedCall, OnGivenScoresIsTheTopkAlone) {
  EXPECT_EQ(text(forced(std::nullopt, Route::topk_persistent), CalledStages::topk),
            "topk.persistent topk_persistent 1-");
}

TEST(PlannedCall, WithoutRowsLaunchesNothing) {
  PlanInput input = input_of(benchmark_batch(184'000, 0), {9, 0}, "exact70");
  EXPECT_EQ(text(input), "");
}

TEST(PlannedCall, CountsRepetitions) {
  EXPECT_EQ(text(forced(Route::score_paged, Route::topk_lexicographic), CalledStages::all, 8),
            "score.paged visible_blocks 8-8, score.paged score_paged 8-, "
            "topk.lexicographic topk_lexicographic 8-, expand.tokens expand_tokens 8-8");
}

TEST(PlannedCall, CarriesThePlansNonce) {
  const PlanInput input = forced(Route::score_paged, Route::topk_lexicographic);
  EXPECT_EQ(planned_call(make_plan(input), input.batch).nonce, make_plan(input).nonce);
}

TEST(PlannedCall, RefusesAPlanWithoutAKernel) {
  PlanInput input = forced_select(Route::select_fused, 29'000);
  input.capability = {8, 0};
  EXPECT_THROW(planned_call(make_plan(input), input.batch), std::invalid_argument);
}

}  // namespace
}  // namespace plumbline::dispatch
