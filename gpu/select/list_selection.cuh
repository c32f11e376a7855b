#pragma once

#include "gpu/select/fused_lists.cuh"
#include "gpu/select/row_selection.cuh"
#include "gpu/trace/trace_tag.cuh"

#include <cstdint>

namespace plumbline::gpu {

struct ListJob {
  hopper::KeptLists lists;
  const hopper::RowBound* bounds;  ///< [rows]
  const std::int32_t* visible;     ///< [rows]
  std::int32_t columns, k;
  std::int32_t* blocks;       ///< [rows, k]
  std::int32_t* handed_over;  ///< [0]: rows not proven, then their numbers
  std::uint32_t* arrived;     ///< counters of the row tiles, set to zero here for the next call
  bool scores_kept;           ///< hand rows of at most k blocks over too, where scores are not finite
};

__device__ __forceinline__ float list_score(float sum) {
  return hopper::is_plain(sum) ? hopper::divide_plain(sum) : hopper::score_of_doubled(sum);
}

/// A row's answer from its lists. A part's lists are read by a warp, kParts
/// parts and kSlots slots at once.
template <typename Selection, int kThreads, int kCapacity, int kParts, int kSlots>
struct ListReader {
  using Shared = typename Selection::Shared;
  using Lists = hopper::KeptLists;
  static constexpr int kWarps = kThreads / 32;

  const ListJob& job;
  std::int64_t row;

  __device__ __forceinline__ std::uint32_t count_word(std::int32_t part) const {
    return part < job.lists.parts ? job.lists.counts[(row * job.lists.parts + part) * 32 + lane_id()] : 0u;
  }

  /// Calls visit(live, sum, block, nth of the warp's lists) with every entry, whole warps at a time.
  /// before(counts) sees a warp's counts first.
  template <typename Before, typename Visit>
  __device__ __forceinline__ void for_each(const Before& before, const Visit& visit) const {
    for (std::int32_t first = warp_id(); first < job.lists.parts; first += kParts * kWarps) {
      std::uint32_t count[kParts], most = 0;
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        count[p] = count_word(first + p * kWarps) & Lists::kCount;
        most = max(most, count[p]);
      }
      before(count);
      most = __reduce_max_sync(kFullWarp, most);
      for (std::uint32_t slot = 0; slot < most; slot += kSlots) {
        uint2 entry[kParts][kSlots];
#pragma unroll
        for (int p = 0; p < kParts; ++p) {
          const uint2* from = job.lists.of(row, first + p * kWarps) + slot * 32 + lane_id();
#pragma unroll
          for (int j = 0; j < kSlots; ++j) {
            if (slot + j < count[p]) entry[p][j] = __ldcg(from + j * 32);
          }
        }
#pragma unroll
        for (int p = 0; p < kParts; ++p) {
#pragma unroll
          for (int j = 0; j < kSlots; ++j) {
            visit(slot + j < count[p], __uint_as_float(entry[p][j].x), entry[p][j].y, p);
          }
        }
      }
    }
  }

  struct Census {
    std::uint32_t entries;
    std::int32_t complete;  ///< what equals the bound is in the lists up to this block
    bool overflowed;
  };
  /// The lists' counts and flags; begins after a barrier and ends with one.
  __device__ __forceinline__ Census census(Shared& s) const {
    std::uint32_t entries = 0;
    bool overflowed = false;
    for (std::int32_t i = static_cast<std::int32_t>(threadIdx.x); i < job.lists.parts * 32; i += kThreads) {
      const std::uint32_t word = job.lists.counts[row * job.lists.parts * 32 + i];
      entries += word & Lists::kCount;
      overflowed |= (word & Lists::kOverflowed) != 0;
      if ((word & Lists::kStrict) != 0) {
        const uint2* last = job.lists.of(row, i / 32) + (job.lists.slots() / 2 - 1) * 32 + i % 32;
        atomicMin(&s.min_key, __ldcg(last).y);
      }
    }
    entries = __reduce_add_sync(kFullWarp, entries);
    if (lane_id() == 0 && entries > 0) atomicAdd(&s.below_count, entries);
    overflowed = __syncthreads_or(overflowed) != 0;
    return {s.below_count, static_cast<std::int32_t>(s.min_key), overflowed};
  }

  /// Copies all entries to the buffer.
  __device__ __forceinline__ bool collect(Shared& s, float bound_above, std::uint32_t& high) const {
    bool finite = true;
    std::uint32_t equal = 0, next[kParts];
    for_each(
        [&](const std::uint32_t(&count)[kParts]) {
          std::uint32_t mine = 0;
#pragma unroll
          for (int p = 0; p < kParts; ++p) mine += count[p];
          const std::uint32_t through = warp_inclusive_sum(mine);
          std::uint32_t base = 0;
          if (lane_id() == 31 && through > 0) base = atomicAdd(&s.count, through);
          base = __shfl_sync(kFullWarp, base, 31) + through - mine;
#pragma unroll
          for (int p = 0; p < kParts; ++p) next[p] = base, base += count[p];
        },
        [&](bool live, float sum, std::uint32_t block, int p) {
          if (!live) return;
          const std::uint32_t key = score_key(list_score(sum)), at = next[p]++;
          finite &= sum < 0x1p115f;
          equal += sum < bound_above;
          high = max(high, key);
          s.keys[at] = key, s.indices[at] = block;
        });
    equal = __reduce_add_sync(kFullWarp, equal);
    if (lane_id() == 0 && equal > 0) atomicAdd(&s.equal_count, equal);
    return finite;
  }

  /// Copies the entries above the bound to the buffer as far as they fit, and counts all.
  __device__ __forceinline__ bool collect_above(Shared& s, float bound_above, std::uint32_t& high) const {
    bool finite = true;
    for_each([](const std::uint32_t(&)[kParts]) {},
             [&](bool live, float sum, std::uint32_t block, int) {
               const bool above = live && !(sum < bound_above);
               const unsigned all = __ballot_sync(kFullWarp, live), kept = __ballot_sync(kFullWarp, above);
               if (all == 0) return;
               std::uint32_t base = 0;
               if (lane_id() == 0) {
                 if (kept != 0) base = atomicAdd(&s.count, static_cast<std::uint32_t>(__popc(kept)));
                 if (all != kept) atomicAdd(&s.equal_count, static_cast<std::uint32_t>(__popc(all & ~kept)));
               }
               base = __shfl_sync(kFullWarp, base, 0);
               if (!above) return;
               finite &= sum < 0x1p115f;
               const std::uint32_t at = base + __popc(kept & ((1u << lane_id()) - 1u));
               const std::uint32_t key = score_key(list_score(sum));
               high = max(high, key);
               if (at < kCapacity) s.keys[at] = key, s.indices[at] = block;
             });
    return finite;
  }

  /// Marks the blocks that score as much as the bound.
  struct MarkEqual {
    static constexpr bool kMarked = false;
    const ListReader& reader;
    float bound_above;
    __device__ void operator()(Shared& s, std::uint32_t base, std::uint32_t width) const {
      reader.for_each([](const std::uint32_t(&)[kParts]) {},
                      [&](bool live, float sum, std::uint32_t block, int) {
                        const std::uint32_t at = block - base;
                        if (live && sum < bound_above && at < width)
                          atomicOr(&s.equal_bits[at >> 5], 1u << (at & 31u));
                      });
    }
  };

  /// Whether blocks[row] holds the answer for n > k visible blocks.
  __device__ __forceinline__ bool select(Shared& s, std::uint32_t n) const {
    const std::uint32_t k = static_cast<std::uint32_t>(job.k);
    std::int32_t* const blocks = job.blocks + row * job.k;
    const auto emit = [&](std::uint32_t position, std::uint32_t index) {
      blocks[position] = static_cast<std::int32_t>(index);
    };
    const hopper::RowBound bound = job.bounds[row];
    if (threadIdx.x == 0) {
      s.count = s.equal_count = s.max_key = s.below_count = 0;
      s.min_key = 0x7FFFFFFFu;
    }
    __syncthreads();
    const Census census = this->census(s);
    if (census.overflowed || census.entries < k) return false;
    std::uint32_t high = 0;
    const bool finite =
        census.entries <= kCapacity ? collect(s, bound.above, high) : collect_above(s, bound.above, high);
    high = __reduce_max_sync(kFullWarp, high);
    if (lane_id() == 0) atomicMax(&s.max_key, high);
    if (__syncthreads_or(!finite) != 0 || s.count > kCapacity) return false;
    // Blocks in no list score less than the bound, or just as much and lie behind `complete`.
    const std::uint32_t above = census.entries - s.equal_count, collected = s.count;
    const std::uint32_t bound_key = score_key(hopper::score_of_doubled(bound.least));
    if (above >= k) {
      const RankCut cut = above == k ? RankCut{bound_key, 0}
                                     : select_rank<kThreads>(s.keys, collected, k, bound_key + 1, s.max_key,
                                                             0, s.histogram, s.rank);
      Selection::emit_winners(s, n, collected, cut, typename Selection::MarkCollected{collected, cut.pivot},
                              emit);
      return true;
    }
    const std::uint32_t end = Selection::emit_winners(s, n, collected, RankCut{bound_key, k - above},
                                                      MarkEqual{*this, bound.above}, emit);
    return static_cast<std::int32_t>(end) - 1 <= census.complete;
  }

  /// Whether no list holds a sum that is not finite; not known where one overflowed.
  __device__ __forceinline__ bool all_finite() const {
    bool finite = true;
    for (std::int32_t part = warp_id(); part < job.lists.parts; part += kWarps) {
      finite &= (count_word(part) & Lists::kOverflowed) == 0;
    }
    for_each([](const std::uint32_t(&)[kParts]) {},
             [&](bool live, float sum, std::uint32_t, int) { finite &= !live || sum < 0x1p115f; });
    return finite;
  }
};

/// A block per row: its answer, or its number among the rows handed over.
template <typename Selection, int kThreads, int kCapacity, int kBlocks, int kParts, int kSlots>
__global__ void __launch_bounds__(kThreads, kBlocks) list_selection_kernel(ListJob job, TraceTag tag) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  record_hit(tag, dispatch::Kernel::list_selection);
  extern __shared__ __align__(16) unsigned char selection_bytes[];
  auto& s = *reinterpret_cast<typename Selection::Shared*>(selection_bytes);
  const std::int64_t row = blockIdx.x;
  hopper::wait_for_launch_before();
  hopper::let_next_launch_start();
  if (threadIdx.x == 0 && row % hopper::kTileQueries == 0) job.arrived[row / hopper::kTileQueries] = 0;
  const std::uint32_t n = static_cast<std::uint32_t>(max(0, min(job.visible[row], job.columns)));
  const std::uint32_t k = static_cast<std::uint32_t>(job.k);
  const ListReader<Selection, kThreads, kCapacity, kParts, kSlots> reader{job, row};
  std::int32_t* const blocks = job.blocks + row * job.k;
  for (std::uint32_t i = n + threadIdx.x; i < k; i += kThreads) blocks[i] = -1;
  bool answered;
  if (n > k) {
    answered = reader.select(s, n);
  } else {
    for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) blocks[i] = static_cast<std::int32_t>(i);
    answered = !job.scores_kept || __syncthreads_and(reader.all_finite()) != 0;
  }
  if (!answered && threadIdx.x == 0) {
    job.handed_over[1 + atomicAdd(job.handed_over, 1)] = static_cast<std::int32_t>(row);
  }
#endif
}

}  // namespace plumbline::gpu
