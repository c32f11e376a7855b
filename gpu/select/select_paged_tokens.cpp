#include "gpu/select/select_paged_tokens.h"

#include "gpu/select/expand_tokens.h"
#include "gpu/select/row_slice.h"
#include "gpu/select/score_hopper.h"
#include "gpu/select/score_paged.h"
#include "gpu/select/topk_persistent.h"
#include "gpu/select/topk_products.h"
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
  switch (topk) {
    case TopkRoute::kPersistent:
      return dispatch::Route::topk_persistent;
    case TopkRoute::kProducts:
      return dispatch::Route::topk_products;
    default:
      return dispatch::Route::topk_lexicographic;
  }
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
  const bool products = options.topk == TopkRoute::kProducts;
  if (cublas && inputs.requests != 1) throw Unsupported("score.cublas_single takes one request");
  if (products && !cublas) throw Unsupported("topk.products takes the products of score.cublas_single");
  if (inputs.rows == 0) return;
  visible_.reserve(inputs.rows);
  if (blocks == nullptr) blocks_.reserve(inputs.rows * options.block_topk);
  std::int32_t* selected = blocks != nullptr ? blocks : blocks_.data();
  const TraceTag score_tag = options.trace.of(route_of(options.score)),
                 topk_tag = options.trace.of(route_of(options.topk)),
                 expand_tag = options.trace.of(dispatch::Route::expand_tokens);
  count_visible_blocks(inputs, columns, visible_.data(), stream, score_tag);
  if (cublas) cublas_.gather(inputs, 0, columns, stream, score_tag);
  if (products) {
    select_from_products(inputs, options, columns, selected, scores, stream);
    expand_tokens(inputs, selected, options.block_topk, tokens, stream, expand_tag);
    return;
  }
  const std::int64_t row_stride = scores != nullptr ? columns : (std::int64_t{columns} + 3) / 4 * 4;
  const std::int64_t chunk =
      scores != nullptr ? inputs.rows : rows_per_chunk(inputs.rows, row_stride, options.score_bytes);
  if (scores == nullptr) scores_.reserve(chunk * row_stride);
  float* plane = scores != nullptr ? scores : scores_.data();
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
  expand_tokens(inputs, selected, options.block_topk, tokens, stream, expand_tag);
}

void PagedTokenSelector::select_from_products(const PagedInputs& inputs, const SelectOptions& options,
                                              std::int32_t columns, std::int32_t* blocks, float* scores,
                                              cudaStream_t stream) {
  // Whole tiles of 128 lines where rows are chunked.
  const std::int64_t fitting =
      rows_per_chunk(inputs.rows, std::int64_t{columns} * kIndexHeads, options.product_bytes);
  const std::int64_t chunk = fitting < inputs.rows && fitting > 32 ? fitting / 32 * 32 : fitting;
  for (std::int64_t first = 0; first < inputs.rows; first += chunk) {
    const std::int64_t rows = std::min(chunk, inputs.rows - first);
    const std::int32_t* visible = visible_.data() + first;
    const TraceTag score_tag = options.trace.of(route_of(options.score));
    const ProductPlane plane =
        cublas_.multiply(inputs, first, rows, options.poison_products, stream, score_tag);
    if (scores != nullptr)
      cublas_.reduce(rows, visible, scores + first * columns, columns, stream, score_tag);
    topk_products({plane.product, plane.stride, plane.mapped, visible, rows, columns, options.block_topk,
                   blocks + first * options.block_topk},
                  stream, options.trace.of(route_of(options.topk)));
  }
}

}  // namespace plumbline::gpu
