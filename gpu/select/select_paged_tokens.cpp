#include "gpu/select/select_paged_tokens.h"

#include "gpu/select/expand_tokens.h"
#include "gpu/select/score_hopper.h"
#include "gpu/select/score_paged.h"
#include "gpu/select/topk_persistent.h"
#include "gpu/select/visible_blocks.h"

#include <algorithm>

namespace plumbline::gpu {
namespace {

dispatch::Route route_of(ScoreRoute score) {
  switch (score) {
    case ScoreRoute::kCublas:
      return dispatch::Route::score_cublas_single;
    case ScoreRoute::kHopper:
      return dispatch::Route::score_hopper;
    default:
      return dispatch::Route::score_paged;
  }
}

dispatch::Route route_of(TopkRoute topk) {
  return topk == TopkRoute::kLexicographic ? dispatch::Route::topk_lexicographic
                                           : dispatch::Route::topk_persistent;
}

/// The rows [first, first + rows) of a step.
PagedInputs row_slice(const PagedInputs& inputs, std::int64_t first, std::int64_t rows) {
  PagedInputs slice = inputs;
  slice.rows = rows;
  slice.query = static_cast<const std::uint16_t*>(inputs.query) + first * kIndexHeads * kIndexDim;
  slice.token_to_request = inputs.token_to_request + first;
  slice.positions =
      inputs.positions_are_int32
          ? static_cast<const void*>(static_cast<const std::int32_t*>(inputs.positions) + first)
          : static_cast<const void*>(static_cast<const std::int64_t*>(inputs.positions) + first);
  return slice;
}

}  // namespace

std::int64_t rows_per_chunk(std::int64_t rows, std::int64_t row_stride, std::int64_t score_bytes) {
  const std::int64_t row_bytes = std::max<std::int64_t>(1, row_stride) * 4;
  return std::clamp<std::int64_t>(score_bytes / row_bytes, 1, std::max<std::int64_t>(1, rows));
}

void PagedTokenSelector::select(const PagedInputs& inputs, const SelectOptions& options, std::int32_t columns,
                                std::int32_t* tokens, std::int32_t* blocks, float* scores,
                                cudaStream_t stream) {
  if (columns < 0 || columns > inputs.capacity())
    throw Unsupported("select: more columns than the page table maps");
  const bool cublas = options.score == ScoreRoute::kCublas;
  if (cublas && inputs.requests != 1) throw Unsupported("score.cublas_single takes one request");
  if (inputs.rows == 0) return;
  const std::int64_t row_stride = scores != nullptr ? columns : (std::int64_t{columns} + 3) / 4 * 4;
  const std::int64_t chunk =
      scores != nullptr ? inputs.rows : rows_per_chunk(inputs.rows, row_stride, options.score_bytes);
  if (scores == nullptr) scores_.reserve(chunk * row_stride);
  visible_.reserve(inputs.rows);
  if (blocks == nullptr) blocks_.reserve(inputs.rows * options.block_topk);
  std::int32_t* selected = blocks != nullptr ? blocks : blocks_.data();
  float* plane = scores != nullptr ? scores : scores_.data();

  const TraceTag score_tag = options.trace.of(route_of(options.score)),
                 topk_tag = options.trace.of(route_of(options.topk));
  count_visible_blocks(inputs, columns, visible_.data(), stream, score_tag);
  if (cublas) cublas_.gather(inputs, 0, columns, stream, score_tag);
  for (std::int64_t first = 0; first < inputs.rows; first += chunk) {
    const std::int64_t rows = std::min(chunk, inputs.rows - first);
    if (cublas) {
      cublas_.score(inputs, first, rows, visible_.data() + first, plane, row_stride, options.poison_products,
                    stream, score_tag);
    } else if (options.score == ScoreRoute::kHopper) {
      score_hopper(row_slice(inputs, first, rows), columns, visible_.data() + first, plane, row_stride,
                   stream, score_tag);
    } else {
      score_paged(row_slice(inputs, first, rows), columns, visible_.data() + first, plane, row_stride, stream,
                  score_tag);
    }
    const TopkRequest topk{plane,
                           row_stride,
                           visible_.data() + first,
                           rows,
                           columns,
                           options.block_topk,
                           selected + first * options.block_topk,
                           nullptr};
    options.topk == TopkRoute::kLexicographic ? topk_lexicographic(topk, stream, topk_tag)
                                              : topk_persistent(topk, stream, topk_tag);
  }
  expand_tokens(inputs, selected, options.block_topk, tokens, stream,
                options.trace.of(dispatch::Route::expand_tokens));
}

}  // namespace plumbline::gpu
