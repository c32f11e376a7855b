#include "gpu/dispatch/attention_routes.h"
#include "gpu/dispatch/hash.h"
#include "gpu/dispatch/plan.h"
#include "gpu/dispatch/score_routes.h"
#include "gpu/dispatch/select_routes.h"
#include "gpu/dispatch/topk_routes.h"

#include <stdexcept>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

std::int64_t pieces(std::int64_t total, std::int64_t piece) { return Partition{total, piece}.count(); }

bool is_cublas(Route route) {
  return route == Route::score_cublas_single || route == Route::score_cublas_split;
}

Grid score_grid(Route route, const ScoreCall& call, std::int64_t columns, const Partition& tiles) {
  if (is_cublas(route)) return {call.chunk_rows, pieces(std::min(tiles.piece, columns), 256)};
  if (route == Route::score_shared_key) return {pieces(columns, 32), 1};
  if (route == Route::score_hopper) return {pieces(call.chunk_rows, 128), pieces(columns, 64)};
  const bool narrow = call.chunk_rows == 1 && call.input.capability.is_exactly(70);
  const std::int64_t block = narrow ? 32 : 64;
  const std::int64_t blocks_per_program = call.chunk_rows <= 32 ? 1 : 8;
  return {call.chunk_rows, pieces(columns, block * blocks_per_program)};
}

Decision decide_expand() { return {Route::expand_tokens, false, {{Route::expand_tokens, {}}}}; }

ChunkGroup plan_chunks(ScoreCall call, const Decision& cublas, std::int64_t first_row, std::int64_t rows,
                       std::int64_t count, std::int64_t columns) {
  call.chunk_rows = rows;
  const PlanInput& input = call.input;
  ChunkGroup group;
  group.first_row = first_row;
  group.rows = rows;
  group.count = count;
  group.score = decide_score(call, cublas);
  const bool product = is_cublas(group.score.route);
  group.tiles = {columns,
                 product ? tile_columns(columns, rows, std::max<std::int64_t>(input.batch.query.extent(1), 1),
                                        input.policy.value(PolicyField::qsa_score_tile_mb))
                         : std::max<std::int64_t>(columns, 1)};
  group.score_grid = score_grid(group.score.route, call, columns, group.tiles);
  const TopkCall topk{input, rows, columns};
  group.topk = decide_topk(topk);
  group.topk_from_sidecar = input.extensions.topk_sidecar && !is_decode_batch(topk) &&
                            operation_of(group.topk.route) == Route::topk_lexicographic;
  group.expand = decide_expand();
  group.expand_grid = {rows, pieces(input.batch.selection_width(), 256)};
  return group;
}

SegmentPlan plan_segment(const PlanInput& input, const Segment& segment, const SplitDecision& split) {
  const Batch& batch = input.batch;
  ScoreCall call{input, segment, segment.request ? 1 : batch.requests(), 0, 0};
  const std::int64_t first = segment.request.value_or(0);
  const std::int64_t last = segment.request ? first + 1 : batch.requests();
  for (std::int64_t r = first; r < last; ++r)
    call.visible_max = std::max(call.visible_max, batch.visible_of(r));

  const Decision cublas = decide_cublas(call, split);
  SegmentPlan plan;
  plan.segment = segment;
  plan.score_columns = is_cublas(cublas.route) ? call.live() : batch.capacity();
  plan.chunks = {segment.rows.size(), rows_per_chunk(plan.score_columns)};
  const auto add = [&](std::int64_t offset, std::int64_t rows, std::int64_t count) {
    if (rows == 0 || count == 0) return;
    plan.groups.push_back(
        plan_chunks(call, cublas, segment.rows.begin + offset, rows, count, plan.score_columns));
  };
  const std::int64_t full = plan.chunks.full_pieces();
  add(0, plan.chunks.piece, full);
  add(full * plan.chunks.piece, plan.chunks.remainder(), 1);
  return plan;
}

void check_forced(const std::optional<Route>& route, Stage stage) {
  if (route && (*route == Route::none || stage_of(*route) != stage)) {
    throw std::invalid_argument(
        fmt::format("forced route {}: not of stage {}", name_of(*route), name_of(stage)));
  }
}

}  // namespace

bool Plan::selection_supported() const {
  if (select) return select->supported();
  for (const SegmentPlan& segment : segments) {
    for (const ChunkGroup& group : segment.groups) {
      if (!group.score.supported() || !group.topk.supported() || !group.expand.supported()) return false;
    }
  }
  return true;
}

bool Plan::supported() const {
  return selection_supported() && (!attention || attention->decision.supported());
}

Plan make_plan(const PlanInput& input) {
  validate(input.batch);
  check_forced(input.forced.score, Stage::score);
  check_forced(input.forced.topk, Stage::topk);
  check_forced(input.forced.attention, Stage::attention);
  check_forced(input.forced.select, Stage::select);
  if (input.forced.select && (input.forced.score || input.forced.topk)) {
    throw std::invalid_argument(
        fmt::format("forced route {}: it takes the place of score and topk", name_of(*input.forced.select)));
  }
  Plan plan;
  plan.capability = input.capability;
  plan.gates = input.gates.name;
  plan.policy = input.policy;
  plan.rows = input.batch.rows();
  if (plan.rows > 0) {
    const SplitDecision split = decide_split(input);
    for (const Segment& segment : split.segments)
      plan.segments.push_back(plan_segment(input, segment, split));
    if (input.forced.select) plan.select = decide_select(input, *input.forced.select);
    if (input.batch.attention) plan.attention = decide_attention(input);
  }
  plan.nonce = hash_text(canonical_text(plan));
  return plan;
}

}  // namespace plumbline::dispatch
