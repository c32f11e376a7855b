#pragma once

#include <cstdint>

namespace plumbline::gpu {

inline constexpr unsigned kFullWarp = 0xFFFFFFFFu;

__device__ __forceinline__ int lane_id() { return static_cast<int>(threadIdx.x & 31u); }
__device__ __forceinline__ int warp_id() { return static_cast<int>(threadIdx.x >> 5); }

template <typename T>
__device__ __forceinline__ T warp_inclusive_sum(T value) {
#pragma unroll
  for (int offset = 1; offset < 32; offset <<= 1) {
    const T below = __shfl_up_sync(kFullWarp, value, offset);
    if (lane_id() >= offset) value += below;
  }
  return value;
}

/// Exclusive prefix sum over the threads of the block; `total` receives the block's sum. `scratch` holds one
/// T per warp. Every thread must take part. Ends without a barrier: `scratch` may be reused after the next
/// one.
template <int kThreads, typename T>
__device__ __forceinline__ T block_exclusive_sum(T value, T* scratch, T& total) {
  constexpr int kWarps = kThreads / 32;
  static_assert(kWarps <= 32);
  const T inclusive = warp_inclusive_sum(value);
  if (lane_id() == 31) scratch[warp_id()] = inclusive;
  __syncthreads();
  const T warp_totals = warp_inclusive_sum(lane_id() < kWarps ? scratch[lane_id()] : T{0});
  total = __shfl_sync(kFullWarp, warp_totals, 31);
  const T before = __shfl_sync(kFullWarp, warp_totals, warp_id() > 0 ? warp_id() - 1 : 0);
  return (warp_id() > 0 ? before : T{0}) + inclusive - value;
}

}  // namespace plumbline::gpu
