#pragma once

#include "gpu/dispatch/tensor_shape.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline::dispatch {

/// Sparse attention over the selected tokens (ROUTES.md §4).
struct AttentionBatch {
  TensorShape query;             ///< [rows, query heads, dim]
  TensorShape key_cache;         ///< [blocks, page, kv heads, dim]
  TensorShape value_cache;       ///< as key_cache
  TensorShape indices;           ///< [rows, selected tokens]
  TensorShape block_table;       ///< [requests, width]
  bool has_row_metadata = true;  ///< positions and sequence lengths are handed over
  bool lse_requested = false;
};

/// Shapes and host-side values of one selection call (ROUTES.md §5.1); no tensor data.
struct Batch {
  TensorShape query;                  ///< [rows, heads, dim]
  TensorShape key_cache;              ///< [pages, page size, 1, dim] compressed keys
  TensorShape page_table;             ///< [requests, width]
  TensorShape token_to_request;       ///< [rows]
  TensorShape query_positions;        ///< [rows]
  TensorShape sequence_lengths;       ///< [requests]
  std::optional<TensorShape> output;  ///< [rows, block_topk · ratio + ratio - 1] int32

  std::vector<std::int64_t> lengths;  ///< tokens per request, this step included
  /// First row of each request and the end of the last, if the host has them. Rows behind that end are
  /// padding.
  std::optional<std::vector<std::int64_t>> query_starts;
  /// Largest visible block count of each request's rows; empty: lengths div ratio.
  std::vector<std::int64_t> visible_max;

  std::int64_t block_topk = 512;
  std::int64_t compress_ratio = 4;
  bool shared_key_scoring = false;
  std::optional<AttentionBatch> attention;

  std::int64_t rows() const { return query.extent(0); }
  std::int64_t requests() const { return page_table.extent(0); }
  std::int64_t page_size() const { return key_cache.extent(1); }
  /// Blocks a request's page table row can address.
  std::int64_t capacity() const { return page_table.extent(1) * page_size(); }
  std::int64_t selection_width() const { return block_topk * compress_ratio + compress_ratio - 1; }
  /// Largest visible block count of a request, never negative.
  std::int64_t visible_of(std::int64_t request) const;
};

/// Throws std::invalid_argument (one line: what, expected, found) for a batch no call could have: negative or
/// absurd extents, shapes that contradict each other, query starts that fall or exceed the rows.
void validate(const Batch& batch);

/// One request of a step.
struct RequestShape {
  std::int64_t rows = 0;    ///< query rows of this step
  std::int64_t length = 0;  ///< tokens, this step included
};

/// A production-like batch: contiguous tensors, 4 heads of 128, ratio 4, top-k 512, int64 positions, host
/// query starts. `width` pages of `page_size` blocks per request.
Batch make_batch(const std::vector<RequestShape>& requests, std::int64_t page_size, std::int64_t width,
                 ElementType type = ElementType::float16);

/// Attention of the real model for `rows` rows: head dim 256, float16 pages of 784 tokens, interleaved K and
/// V.
AttentionBatch make_attention(std::int64_t rows, std::int64_t query_heads, std::int64_t kv_heads,
                              std::int64_t requests);

}  // namespace plumbline::dispatch
