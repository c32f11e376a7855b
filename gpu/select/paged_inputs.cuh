#pragma once

#include "gpu/select/paged_inputs.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace plumbline::gpu {

__device__ __forceinline__ std::int64_t query_position(const PagedInputs& inputs, std::int64_t row) {
  return inputs.positions_are_int32 ? static_cast<const std::int32_t*>(inputs.positions)[row]
                                    : static_cast<const std::int64_t*>(inputs.positions)[row];
}

/// The physical page behind a logical block, or -1.
__device__ __forceinline__ std::int64_t physical_page(const PagedInputs& inputs, std::int32_t request,
                                                      std::int32_t logical_page) {
  const std::int64_t page = inputs.page_table[std::int64_t{request} * inputs.table_width + logical_page];
  return page >= 0 && page < inputs.pages ? page : -1;
}

/// max(0, s), NaN kept, -0 to +0.
__device__ __forceinline__ float relu(float s) { return s <= 0.0f ? 0.0f : s; }

/// The head sum in head order.
__device__ __forceinline__ float head_sum(float h0, float h1, float h2, float h3) {
  return ((relu(h0) + relu(h1)) + relu(h2)) + relu(h3);
}

inline constexpr float kSqrtIndexDim = 11.313708305358887f;  // float32 of sqrt(128)

/// A block's score: a division, as the routes define it, not a product with the reciprocal.
__device__ __forceinline__ float block_score(float h0, float h1, float h2, float h3) {
  return __fdiv_rn(head_sum(h0, h1, h2, h3), kSqrtIndexDim);
}

}  // namespace plumbline::gpu
