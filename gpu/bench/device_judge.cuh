#pragma once

#include "gpu/bench/device_data.cuh"

#include <cstdint>
#include <vector>

namespace plumbline::gpu::bench {

/// Order of scores, written apart from the kernels': sign and magnitude as a signed integer, so that -0 = +0.
__host__ __device__ inline std::int64_t judged_rank(std::uint32_t bits) {
  const std::int64_t magnitude = bits & 0x7FFFFFFFu;
  return (bits >> 31) != 0 ? -magnitude : magnitude;
}

struct JudgeCounts {
  unsigned long long rows, selecting_rows, bad_rows, structural, order, outsider_above, tie_rule;
  unsigned long long first_bad_row;
};

/// The O(n) proof of a claimed canonical (or, with `any_order`, set-exact) answer, one block per row.
/// `bitmap_words` words of dynamic shared memory hold one bit per column.
[[maybe_unused]] static __global__ void judge_rows(const float* scores, std::int64_t row_stride,
                                                   const std::int32_t* lengths, std::int32_t columns,
                                                   std::int32_t k, const std::int32_t* blocks, bool any_order,
                                                   JudgeCounts* counts) {
  extern __shared__ std::uint32_t chosen[];
  __shared__ unsigned structural, order, outsider, tie;
  __shared__ long long worst;
  __shared__ int last_equal;
  const std::int64_t row = blockIdx.x;
  const std::int32_t n = max(0, min(lengths[row], columns));
  const std::int32_t expected = min(n, k);
  const std::uint32_t* bits = reinterpret_cast<const std::uint32_t*>(scores + row * row_stride);
  const std::int32_t* claim = blocks + row * k;
  for (std::int32_t i = threadIdx.x; i < (n + 31) / 32; i += blockDim.x) chosen[i] = 0;
  if (threadIdx.x == 0) {
    structural = order = outsider = tie = 0;
    worst = 0x7FFFFFFFFFFFFFFFll;
    last_equal = -1;
  }
  __syncthreads();
  for (std::int32_t i = threadIdx.x; i < k; i += blockDim.x) {
    const std::int32_t block = claim[i];
    if (i >= expected) {
      if (block != -1) atomicAdd(&structural, 1u);
      continue;
    }
    if (block < 0 || block >= n) {
      atomicAdd(&structural, 1u);
      continue;
    }
    if (!any_order && i > 0 && claim[i - 1] >= block) atomicAdd(&order, 1u);
    const std::uint32_t bit = 1u << (block & 31);
    if ((atomicOr(&chosen[block >> 5], bit) & bit) != 0) atomicAdd(&structural, 1u);
    atomicMin(&worst, judged_rank(bits[block]));
  }
  __syncthreads();
  if (expected > 0 && structural == 0) {
    for (std::int32_t i = threadIdx.x; i < expected; i += blockDim.x) {
      if (judged_rank(bits[claim[i]]) == worst) atomicMax(&last_equal, claim[i]);
    }
    __syncthreads();
    for (std::int32_t c = threadIdx.x; c < n; c += blockDim.x) {
      if ((chosen[c >> 5] >> (c & 31) & 1u) != 0) continue;
      const std::int64_t rank = judged_rank(bits[c]);
      if (rank > worst) atomicAdd(&outsider, 1u);
      if (!any_order && rank == worst && c < last_equal) atomicAdd(&tie, 1u);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&counts->rows, 1ull);
    if (n > k) atomicAdd(&counts->selecting_rows, 1ull);
    atomicAdd(&counts->structural, structural);
    atomicAdd(&counts->order, order);
    atomicAdd(&counts->outsider_above, outsider);
    atomicAdd(&counts->tie_rule, tie);
    if (structural + order + outsider + tie > 0) {
      atomicAdd(&counts->bad_rows, 1ull);
      atomicMin(&counts->first_bad_row, static_cast<unsigned long long>(row));
    }
  }
}

[[maybe_unused]] static __global__ void count_differences(const std::uint32_t* a, const std::uint32_t* b,
                                                          std::int64_t count,
                                                          unsigned long long* differences) {
  unsigned long long mine = 0;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    mine += a[i] != b[i];
  }
  if (mine > 0) atomicAdd(differences, mine);
}

/// The canonical selection by a full sort on the host.
std::vector<std::int32_t> select_on_host(const std::vector<float>& scores, std::int32_t n, std::int32_t k);

}  // namespace plumbline::gpu::bench
