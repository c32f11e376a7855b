#include "tests/dispatch/plan_helpers.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline::dispatch {
namespace {

std::int64_t near(std::vector<std::int64_t> thresholds) {
  return std::max<std::int64_t>(0, *rc::gen::elementOf(thresholds) + *rc::gen::inRange<std::int64_t>(-1, 2));
}

PlanInput any_input() {
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  std::vector<RequestShape> requests;
  for (std::size_t i = 0; i < count; ++i) {
    requests.push_back(
        {near({0, 1, 5, 10, 32, 512, 1'616, 32'768}), near({0, 4, 2'048, 29'000, 131'072, 1'048'576})});
  }
  const std::int64_t page = *rc::gen::element<std::int64_t>(1, 16, 202, 4'194'304);
  const std::int64_t width =
      page > 100'000 ? *rc::gen::inRange<std::int64_t>(1, 4) : *rc::gen::inRange<std::int64_t>(1, 2'000);
  PlanInput input = input_of(
      make_batch(requests, page, width, *rc::gen::element(ElementType::float16, ElementType::bfloat16)),
      *rc::gen::element(Capability{7, 0}, Capability{7, 5}, Capability{8, 0}, Capability{9, 0},
                        Capability{12, 0}),
      *rc::gen::elementOf(gate_set_names()));
  const std::int64_t rows = input.batch.rows();
  if (*rc::gen::arbitrary<bool>())
    input.batch.attention = make_attention(rows, 24, 2, input.batch.requests());
  input.batch.shared_key_scoring = *rc::gen::arbitrary<bool>();
  input.batch.block_topk = *rc::gen::element<std::int64_t>(511, 512, 1'024);
  return input;
}

RC_GTEST_PROP(PlanProperties, APlanIsAPureFunctionOfItsInput, ()) {
  const PlanInput input = any_input();
  const Plan first = make_plan(input), second = make_plan(input);
  RC_ASSERT(canonical_text(first) == canonical_text(second));
  RC_ASSERT(first.nonce == second.nonce);
}

RC_GTEST_PROP(PlanProperties, EveryRowLiesInOneSegmentAndOneChunk, ()) {
  const PlanInput input = any_input();
  const Plan plan = make_plan(input);
  std::int64_t row = 0;
  for (const SegmentPlan& segment : plan.segments) {
    RC_ASSERT(segment.segment.rows.begin == row);
    for (const ChunkGroup& group : segment.groups) {
      RC_ASSERT(group.first_row == row);
      RC_ASSERT(group.rows > 0);
      RC_ASSERT(group.count > 0);
      row += group.rows * group.count;
    }
    RC_ASSERT(segment.segment.rows.end == row);
  }
  RC_ASSERT(row == input.batch.rows());
}

RC_GTEST_PROP(PlanProperties, EveryScoreColumnLiesInOneTile, ()) {
  const Plan plan = make_plan(any_input());
  for (const SegmentPlan& segment : plan.segments) {
    for (const ChunkGroup& group : segment.groups) {
      std::int64_t column = 0;
      for (std::int64_t i = 0; i < group.tiles.count(); ++i) {
        RC_ASSERT(group.tiles.range(i).begin == column);
        column = group.tiles.range(i).end;
      }
      RC_ASSERT(column == segment.score_columns);
    }
  }
}

RC_GTEST_PROP(PlanProperties, AChunkOfSeveralRowsFitsTheWorkspace, ()) {
  const Plan plan = make_plan(any_input());
  for (const SegmentPlan& segment : plan.segments) {
    for (const ChunkGroup& group : segment.groups) {
      RC_ASSERT(group.rows == 1 || group.rows * segment.score_columns * 4 <= 134'217'728);
    }
  }
}

RC_GTEST_PROP(PlanProperties, ARejectedCandidateFailsItsLastEvaluatedGateOnly, ()) {
  const Plan plan = make_plan(any_input());
  for (const SegmentPlan& segment : plan.segments) {
    for (const ChunkGroup& group : segment.groups) {
      for (const Decision* decision : {&group.score, &group.topk}) {
        for (const Candidate& candidate : decision->candidates) {
          const Gate* failed = candidate.first_failed();
          if (failed == nullptr) continue;
          RC_ASSERT(failed == &candidate.gates.back());
          RC_ASSERT(!failed->name.empty() && !failed->observed.empty() && !failed->required.empty());
        }
        RC_ASSERT(decision->route == Route::none || decision->candidates.back().passes());
      }
    }
  }
}

RC_GTEST_PROP(PlanProperties, PaddedBatchesAreNeverSplit, ()) {
  PlanInput input = any_input();
  RC_PRE(input.batch.query_starts->back() > 0);
  input.batch.query_starts->back() -= 1;
  RC_PRE(input.batch.query_starts->back() >= *(input.batch.query_starts->end() - 2));
  RC_ASSERT(make_plan(input).segments.size() == 1u);
}

RC_GTEST_PROP(PlanProperties, AForcedRouteIsTaken, ()) {
  PlanInput input = any_input();
  RC_PRE(input.batch.rows() > 0);
  const Route score =
      *rc::gen::element(Route::score_cublas_single, Route::score_cublas_split, Route::score_paged);
  input.forced.score = score;
  input.forced.topk = Route::topk_persistent;
  for (const SegmentPlan& segment : make_plan(input).segments) {
    for (const ChunkGroup& group : segment.groups) {
      RC_ASSERT(group.score.route == score);
      RC_ASSERT(group.topk.route == Route::topk_persistent);
    }
  }
}

TEST(PlanLimits, TheLargestBatchIsPlannedIn64Bits) {
  const Plan plan = make_plan(input_of(make_batch({{2'147'483'647, 4'294'967'292}}, 4'194'303, 1'024)));
  const SegmentPlan& segment = plan.segments.at(0);
  EXPECT_EQ(segment.score_columns, 1'073'741'823);
  EXPECT_EQ(segment.chunks.piece, 1);
  EXPECT_EQ(segment.groups.at(0).count, 2'147'483'647);
  EXPECT_EQ(segment.groups.at(0).tiles.piece, 4'194'304);
}

TEST(PlanLimits, ScoresBeyond31BitsStayExact) {
  // 32,768 rows at 262,144 tokens: 2^31 scores, the first count an int32 cannot hold.
  const Plan plan = make_plan(input_of(make_batch({{32'768, 262'144}}, 64, 1'024)));
  EXPECT_EQ(first_group(plan).score.route, Route::score_cublas_single);
  const Gate& work = first_group(plan).score.candidates.back().gates.back();
  EXPECT_EQ(work.observed, "32768 rows x 65536 columns = 2147483648");
}

TEST(PlanLimits, PagesBeyond31BitsOfElementsAreAccepted) {
  // Page 4,194,304 of 512 elements starts at element 2^31.
  PlanInput input = input_of(make_batch({{1'616, 1'000'000}}, 4, 65'536));
  input.batch.key_cache = contiguous(ElementType::float16, {4'194'305, 4, 1, 128});
  EXPECT_EQ(make_plan(input).segments.at(0).score_columns, 250'000);
}

TEST(PlanNonce, DependsOnEveryDecision) {
  const Plan base = make_plan(input_of(benchmark_batch(29'000)));
  EXPECT_NE(base.nonce, make_plan(input_of(benchmark_batch(29'004))).nonce);
  EXPECT_NE(base.nonce, make_plan(input_of(benchmark_batch(29'000), {7, 2})).nonce);
  EXPECT_NE(base.nonce, make_plan(input_of(benchmark_batch(29'000), {7, 5}, "exact70")).nonce);
  PlanInput other_policy = input_of(benchmark_batch(29'000));
  other_policy.policy = Policy({{PolicyField::qsa_grouped_page4, 0}}, {}, true);
  EXPECT_NE(base.nonce, make_plan(other_policy).nonce);
}

}  // namespace
}  // namespace plumbline::dispatch
