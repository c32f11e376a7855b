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

inline constexpr std::uint32_t kFewKeys = 32;

struct RankScratch {
  std::uint32_t warp_sums[32];
  std::uint32_t bin, above, population;
  std::uint32_t few[kFewKeys], few_count;
  RankCut few_cut;
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
  if constexpr (kPerThread % 4 == 0) {
#pragma unroll
    for (int i = 0; i < kPerThread; i += 4) {
      const uint4 four = *reinterpret_cast<const uint4*>(histogram + top - i - 3);
      counts[i] = four.w, counts[i + 1] = four.z, counts[i + 2] = four.y, counts[i + 3] = four.x;
    }
  } else {
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) counts[i] = histogram[top - i];
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) sum += counts[i];
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

/// The cut for `rank` among the few keys within [low, low + width]: one warp compares each with all. Begins
/// after a barrier and ends with one.
template <int kThreads>
__device__ RankCut rank_few(const std::uint32_t* keys, std::uint32_t count, std::uint32_t rank,
                            std::uint32_t low, std::uint32_t width, RankScratch& scratch) {
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    const std::uint32_t key = keys[i];
    if (key - low <= width) scratch.few[atomicAdd(&scratch.few_count, 1u)] = key;
  }
  __syncthreads();
  if (threadIdx.x < scratch.population) {
    const std::uint32_t key = scratch.few[threadIdx.x];
    std::uint32_t above = 0, equal = 0;
    bool first = true;  // of its equals: one thread answers
    for (std::uint32_t i = 0; i < scratch.population; ++i) {
      above += scratch.few[i] > key;
      equal += scratch.few[i] == key;
      first &= scratch.few[i] != key || i >= threadIdx.x;
    }
    if (first && above < rank && rank <= above + equal) {
      scratch.few_cut = rank == above + equal && key > 0 ? RankCut{key - 1, 0} : RankCut{key, rank - above};
    }
  }
  __syncthreads();
  return scratch.few_cut;
}

/// The cut that leaves exactly `rank` winners among the keys[0, count) within [low, high], 1 <= rank <= their
/// number; keys outside [low, high] are ignored, and none may lie above. `histogram` has kRankBins words,
/// aligned to four. At most three passes of 11 bits; a pass ends the search as soon as a whole bin wins, or
/// would with at most `slack` winners more than asked, or the bin holds few keys. Begins and ends with a
/// barrier.
template <int kThreads>
__device__ RankCut select_rank(const std::uint32_t* keys, std::uint32_t count, std::uint32_t rank,
                               std::uint32_t low, std::uint32_t high, std::uint32_t slack,
                               std::uint32_t* histogram, RankScratch& scratch) {
  while (true) {
    const std::uint32_t span = high - low;
    const int bits = 32 - __clz(static_cast<int>(span));
    const int shift = bits > 11 ? bits - 11 : 0;
    for (int i = static_cast<int>(threadIdx.x); i < kRankBins / 4; i += kThreads) {
      reinterpret_cast<uint4*>(histogram)[i] = uint4{0, 0, 0, 0};
    }
    if (threadIdx.x == 0) scratch.few_count = 0;
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
    if (scratch.population <= kFewKeys) {
      return rank_few<kThreads>(keys, count, rank, low, min(width, high - low), scratch);
    }
    if (high - low > width) high = low + width;  // low + width alone could pass the largest key
    __syncthreads();
  }
}

}  // namespace plumbline::gpu
