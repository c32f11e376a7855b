#pragma once

#include "gpu/trace/trace_tag.h"

#include <cstdint>

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Exact top-k of the scores that the products of CublasScorer stand for, without a plane of scores: row r's
/// score of c is the ReLU'd sum of product[(r·4 + h) · stride + c] over heads h = 0 … 3, divided by
/// sqrt(128), or -inf where mapped[c] is 0. Same contract and same answer, word for word, as
/// topk_lexicographic on those scores.
struct ProductTopkRequest {
  const float* product = nullptr;         ///< [rows · 4, stride], lines at 16-byte boundaries
  std::int64_t stride = 0;                ///< elements, a multiple of 4
  const std::uint8_t* mapped = nullptr;   ///< [columns]
  const std::int32_t* lengths = nullptr;  ///< [rows]; negative means 0
  std::int64_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t k = 0;              ///< 1 … 1,024
  std::int32_t* blocks = nullptr;  ///< [rows, k]
};

inline constexpr std::int32_t kMaxProductTopk = 1024;

/// Throws Unsupported for k outside 1 … kMaxProductTopk. Any capability; one block per row.
void topk_products(const ProductTopkRequest& request, cudaStream_t stream, TraceTag tag = {});

}  // namespace plumbline::gpu
