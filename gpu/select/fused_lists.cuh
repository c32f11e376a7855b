#pragma once

#include "gpu/select/row_selection.cuh"
#include "gpu/select/score_hopper.cuh"

#include <cstdint>

namespace plumbline::gpu::hopper {

inline constexpr int kStagedEntries = 128;  ///< survivors of a warp's 16 keys × 32 queries staged at once
inline constexpr std::uint32_t kListCapacity = 1024;  ///< of one (row, key range)

struct FusedShared {
  ScoreShared score;
  std::uint64_t staged[4 * kGroups][kStagedEntries];
  std::uint32_t counts[kTileQueries];
};

__device__ __forceinline__ void group_barrier(int group) {
  asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
}

/// Keeps the blocks whose undivided sum lies above the row's bound (or is NaN) in lists, one per (row,
/// split).
struct KeepAboveBound {
  const float* bounds;    // [rows]
  std::uint64_t* lists;   // [rows, splits, kListCapacity]
  std::uint32_t* counts;  // [rows, splits]: how many there were, also beyond the capacity
  std::uint64_t (*staged)[kStagedEntries] = nullptr;
  std::uint32_t* mine = nullptr;
  std::uint64_t* first_list = nullptr;
  float bound[kPairs / 2] = {};

  __device__ __forceinline__ void begin(ScoreShared& s, const ScoreJob& job, std::int64_t first_row,
                                        int group, std::int32_t split) {
    auto& shared = reinterpret_cast<FusedShared&>(s);
    const int thread = static_cast<int>(threadIdx.x % 128), lane = static_cast<int>(threadIdx.x & 31u);
    staged = &shared.staged[group * 4 + thread / 32];
    mine = shared.counts + group * kGroupQueries;
    first_list = lists + ((first_row + group * kGroupQueries) * job.splits + split) * kListCapacity;
    if (thread < kGroupQueries) mine[thread] = 0;
#pragma unroll
    for (int pair = 0; pair < kPairs / 2; ++pair) {
      const std::int32_t row = s.row[group * kGroupQueries + pair * 4 + (lane & 3)];
      bound[pair] = row >= 0 ? bounds[row] : __uint_as_float(0x7F800000u);
    }
    group_barrier(group);
  }

  __device__ __forceinline__ void append(std::uint64_t entry, const ScoreJob& job) const {
    const std::uint32_t query = static_cast<std::uint32_t>(entry) & 63u;
    const std::uint64_t block = static_cast<std::uint32_t>(entry) >> 6;
    const std::uint32_t slot = atomicAdd(&mine[query], 1u);
    if (slot < kListCapacity) {
      first_list[std::uint64_t{query} * static_cast<std::uint32_t>(job.splits) * kListCapacity + slot] =
          (entry & 0xFFFFFFFF00000000ull) | block;
    }
  }

  __device__ __forceinline__ void consume(ScoreShared& s, const ScoreJob& job,
                                          const float (&products)[kProducts], std::int32_t tile,
                                          std::uint32_t mapped, int group) const {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    float sums[kPairs];
    reduce_heads(products, sums);
    std::uint32_t mask = 0;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      if (sums[i] > bound[i / 2]) mask |= 1u << i;
    }
    const std::int32_t warp_first = tile * kTileKeys + static_cast<std::int32_t>(threadIdx.x % 128 / 32) * 16;
    if (warp_first + 16 > s.least_visible[group] || mapped != 0xFFFFu) {
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        const int key = lane / 4 + 8 * (i % 2);
        const bool live = warp_first + key < s.visible[group * kGroupQueries + (i / 2) * 4 + (lane & 3)] &&
                          (mapped >> key & 1u) != 0;
        if (!live) mask &= ~(1u << i);
      }
    }
    if (!all_finite(sums)) {
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        if (!(sums[i] < 0x1p115f)) {
          mask &= ~(1u << i);
          atomicAdd(&mine[(i / 2) * 4 + (lane & 3)], kListCapacity + 1);
        }
      }
    }
    const std::uint32_t kept = __popc(mask);
    const std::uint32_t through = warp_inclusive_sum(kept);
    const std::uint32_t total = __shfl_sync(kFullWarp, through, 31);
    if (total == 0) return;
    // Low word of an entry: block · 64 + query of the group.
    const std::uint32_t base = static_cast<std::uint32_t>(warp_first + lane / 4) * 64u + (lane & 3);
    if (total <= kStagedEntries) {
      std::uint32_t slot = through - kept;
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        if ((mask >> i & 1u) != 0) {
          (*staged)[slot++] = (static_cast<std::uint64_t>(__float_as_uint(sums[i])) << 32) |
                              (base + static_cast<std::uint32_t>((i % 2) * 8 * 64 + (i / 2) * 4));
        }
      }
      __syncwarp();
      for (std::uint32_t i = lane; i < total; i += 32) append((*staged)[i], job);
      __syncwarp();
    } else {
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        if ((mask >> i & 1u) != 0) {
          append((static_cast<std::uint64_t>(__float_as_uint(sums[i])) << 32) |
                     (base + static_cast<std::uint32_t>((i % 2) * 8 * 64 + (i / 2) * 4)),
                 job);
        }
      }
    }
  }

  __device__ __forceinline__ void end(ScoreShared& s, const ScoreJob& job, std::int64_t first_row, int group,
                                      std::int32_t split) {
    group_barrier(group);
    const int thread = static_cast<int>(threadIdx.x % 128);
    const std::int32_t q = group * kGroupQueries + thread;
    if (thread < kGroupQueries && s.row[q] >= 0) counts[(first_row + q) * job.splits + split] = mine[thread];
  }
};

}  // namespace plumbline::gpu::hopper
