#pragma once

#include "gpu/select/block_scan.cuh"

#include <cstdint>

namespace plumbline::gpu {

inline constexpr int kRankBins = 2048;

/// Where a rank falls among keys: the winners are the keys above `pivot`, and the first `equal_quota` keys
/// (in index order) equal to it. equal_quota == 0 means that no key equal to `pivot` wins.
struct RankCut {
  std::uint32_t pivot;
  std::uint32_t equal_quota;
};

struct RankScratch {
  std::uint32_t warp_sums[32];
  std::uint32_t bin, above, population;
};

/// Finds the histogram bin, from the top, that holds rank `rank` (1 = largest): the number of keys in the
/// bins above it and its own population go to `scratch`. Ends with a barrier.
template <int kThreads>
__device__ __forceinline__ void find_rank_bin(const std::uint32_t* histogram, std::uint32_t rank,
                                              RankScratch& scratch) {
  constexpr int kPerThread = kRankBins / kThreads;
  static_assert(kPerThread * kThreads == kRankBins);
  const int top = kRankBins - 1 - static_cast<int>(threadIdx.x) * kPerThread;
  std::uint32_t counts[kPerThread];
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) sum += counts[i] = histogram[top - i];
  std::uint32_t total;
  std::uint32_t above = block_exclusive_sum<kThreads>(sum, scratch.warp_sums, total);
  if (above < rank && rank <= above + sum) {
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      if (above < rank && rank <= above + counts[i]) {
        scratch.bin = static_cast<std::uint32_t>(top - i);
        scratch.above = above;
        scratch.population = counts[i];
      }
      above += counts[i];
    }
  }
  __syncthreads();
}

/// The cut that leaves exactly `rank` winners among the keys[0, count) within [low, high], 1 <= rank <= their
/// number; keys outside [low, high] are ignored, and none may lie above. `histogram` has kRankBins words. At
/// most three passes of 11 bits; a pass ends the search as soon as a whole bin wins, or would with at most
/// `slack` winners more than asked. Begins and ends with a barrier.
template <int kThreads>
__device__ RankCut select_rank(const std::uint32_t* keys, std::uint32_t count, std::uint32_t rank,
                               std::uint32_t low, std::uint32_t high, std::uint32_t slack,
                               std::uint32_t* histogram, RankScratch& scratch) {
  while (true) {
    const std::uint32_t span = high - low;
    const int bits = 32 - __clz(static_cast<int>(span));
    const int shift = bits > 11 ? bits - 11 : 0;
    for (int i = static_cast<int>(threadIdx.x); i < kRankBins; i += kThreads) histogram[i] = 0;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
      const std::uint32_t key = keys[i];
      if (key >= low && key <= high) atomicAdd(&histogram[(key - low) >> shift], 1u);
    }
    __syncthreads();
    find_rank_bin<kThreads>(histogram, rank, scratch);
    rank -= scratch.above;
    low += scratch.bin << shift;
    if (scratch.population - rank <= slack && low > 0) {
      __syncthreads();
      return {low - 1, 0};
    }
    if (shift == 0) {
      __syncthreads();
      return {low, rank};
    }
    const std::uint32_t width = (1u << shift) - 1u;
    if (high - low > width) high = low + width;  // low + width alone could pass the largest key
    __syncthreads();
  }
}

}  // namespace plumbline::gpu
