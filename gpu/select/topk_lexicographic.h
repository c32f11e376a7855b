#pragma once

#include "gpu/trace/trace_tag.h"

#include <cstdint>

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Exact top-k of float32 scores, contract `canonical`: row r ranks scores[r·row_stride + c] for
/// c < n = clamp(lengths[r], 0, columns) by (score key, lower column first), and blocks[r·k …] receives the
/// min(k, n) winners in ascending order, then -1. n <= k selects all without reading a score; nothing at or
/// behind n is ever read. NaN ranks by its bits, -0 equals +0 (score_key.cuh).
struct TopkRequest {
  const float* scores = nullptr;
  std::int64_t row_stride = 0;            ///< elements; any value >= columns
  const std::int32_t* lengths = nullptr;  ///< [rows]; negative means 0
  std::int64_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t k = 0;              ///< 1 … kMaxTopk
  std::int32_t* blocks = nullptr;  ///< [rows, k]
  std::uint8_t* paths = nullptr;   ///< [rows] or null: the branch that answered each row (row_path.h)
};

inline constexpr std::int32_t kMaxTopk = 2048;

/// Throws Unsupported for k outside 1 … kMaxTopk. Any capability; one block per row.
void topk_lexicographic(const TopkRequest& request, cudaStream_t stream, TraceTag tag = {});

}  // namespace plumbline::gpu
