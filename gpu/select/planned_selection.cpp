#include "gpu/select/planned_selection.h"

#include "gpu/select/expand_tokens.h"
#include "gpu/select/row_slice.h"
#include "gpu/select/score_paged.h"
#include "gpu/select/topk_persistent.h"
#include "gpu/select/visible_blocks.h"

#include <algorithm>
#include <string>

namespace plumbline::gpu {
namespace {

using dispatch::ChunkGroup;
using dispatch::Route;
using dispatch::SegmentPlan;

bool multiplies(const SegmentPlan& segment) {
  const Route route = segment.groups.front().score.route;
  return route == Route::score_cublas_single || route == Route::score_cublas_split;
}

void require_kernels(const ChunkGroup& group) {
  const Route score = group.score.route, topk = dispatch::operation_of(group.topk.route);
  const bool scored = score == Route::score_cublas_single || score == Route::score_cublas_split ||
                      score == Route::score_paged;
  if (!scored) throw Unsupported("no kernel for the planned " + std::string(dispatch::name_of(score)));
  if (topk != Route::topk_lexicographic && topk != Route::topk_persistent)
    throw Unsupported("no kernel for the planned " + std::string(dispatch::name_of(group.topk.route)));
}

}  // namespace

std::int32_t PlannedSelector::score_columns(const dispatch::Plan& plan) {
  std::int64_t widest = 1;
  for (const SegmentPlan& segment : plan.segments) widest = std::max(widest, segment.score_columns);
  return static_cast<std::int32_t>(widest);
}

void PlannedSelector::select(const dispatch::Plan& plan, const PagedInputs& inputs, std::int32_t k,
                             const PlannedOutputs& outputs, const PlannedStages& stages,
                             cudaStream_t stream) {
  if (plan.select || plan.rows != inputs.rows) throw Unsupported("the plan is of another call");
  for (const SegmentPlan& segment : plan.segments) {
    for (const ChunkGroup& group : segment.groups) require_kernels(group);
  }
  if (inputs.rows == 0) return;
  const std::int32_t widest = score_columns(plan);
  if (outputs.scores != nullptr && outputs.score_stride < widest)
    throw Unsupported("planned selection: score rows of " + std::to_string(widest) + " columns do not fit");
  visible_.reserve(inputs.rows);
  if (outputs.blocks == nullptr) blocks_.reserve(inputs.rows * k);
  std::int32_t* blocks = outputs.blocks != nullptr ? outputs.blocks : blocks_.data();
  count_visible_blocks(inputs, widest, visible_.data(), stream,
                       stages.trace.of(plan.segments.front().groups.front().score.route));

  for (const SegmentPlan& segment : plan.segments) {
    const auto columns = static_cast<std::int32_t>(segment.score_columns);
    const bool product = multiplies(segment);
    if (product && stages.score) {
      const auto request = static_cast<std::int32_t>(segment.segment.request.value_or(0));
      cublas_.gather(inputs, request, columns, stream, stages.trace.of(segment.groups.front().score.route));
    }
    const std::int64_t stride = outputs.scores != nullptr ? outputs.score_stride : (columns + 3) / 4 * 4;
    if (outputs.scores == nullptr) scores_.reserve(segment.chunks.piece * stride);
    for (const ChunkGroup& group : segment.groups) {
      const TraceTag score_tag = stages.trace.of(group.score.route),
                     topk_tag = stages.trace.of(dispatch::operation_of(group.topk.route));
      for (std::int64_t chunk = 0; chunk < group.count; ++chunk) {
        const std::int64_t first = group.first_row + chunk * group.rows;
        const std::int32_t* visible = visible_.data() + first;
        float* scores = outputs.scores != nullptr ? outputs.scores + first * stride : scores_.data();
        if (product && stages.score) {
          cublas_.score_in_tiles(inputs, first, group.rows, group.tiles.piece, visible, scores, stride,
                                 stages.poison_products, stream, score_tag);
        } else if (stages.score) {
          score_paged(row_slice(inputs, first, group.rows), columns, visible, scores, stride, stream,
                      score_tag);
        }
        if (!stages.topk) continue;
        const TopkRequest topk{scores, stride, visible, group.rows, columns, k, blocks + first * k, nullptr};
        dispatch::operation_of(group.topk.route) == Route::topk_lexicographic
            ? topk_lexicographic(topk, stream, topk_tag)
            : topk_persistent(topk, stream, topk_tag);
      }
    }
  }
  if (stages.expand)
    expand_tokens(inputs, blocks, k, outputs.tokens, stream, stages.trace.of(Route::expand_tokens));
}

}  // namespace plumbline::gpu
