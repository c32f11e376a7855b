#pragma once

#include "gpu/select/rank_select.cuh"

#include <cstdint>

namespace plumbline::gpu {

/// Reads a row's winners out in index order: they become bits of a bitmap over a window of columns, so that
/// ascending output and lowest-index ties take no sort.
template <int kThreads, int kCapacity, int kWindow_>
struct RowEmission {
  static constexpr int kWindow = kWindow_;  ///< columns per bitmap window
  static constexpr int kWindowWords = kWindow / 32;
  static_assert(kWindowWords <= kRankBins);

  struct Shared {
    std::uint32_t keys[kCapacity];
    std::uint32_t indices[kCapacity];
    alignas(16) std::uint32_t equal_bits[kWindowWords];
    alignas(16) std::uint32_t histogram[kRankBins];  ///< and, once the cut is known, the winners' bitmap
    RankScratch rank;
    unsigned long long warp_sums[32];
    std::uint32_t count, equal_count, below_count, max_key, min_key;
    std::uint32_t equal_end;
  };

  /// Emits the collected keys above `pivot` in index order: each finds its place by the bitmap's set bits
  /// before it.
  template <typename Emit>
  __device__ static void emit_above(Shared& s, std::uint32_t n, std::uint32_t count, std::uint32_t pivot,
                                    const Emit& emit) {
    std::uint32_t* winners = s.histogram;
    std::uint32_t* set_before = s.equal_bits;
    std::uint32_t emitted = 0;
    for (std::uint32_t base = 0; base < n; base += kWindow) {
      const std::uint32_t width = min(static_cast<std::uint32_t>(kWindow), n - base);
      const std::uint32_t words = (width + 31) / 32;
      for (std::uint32_t i = threadIdx.x; i < (words + 3) / 4; i += kThreads) {
        reinterpret_cast<uint4*>(winners)[i] = uint4{0, 0, 0, 0};
      }
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
        const std::uint32_t at = s.indices[i] - base;
        if (s.keys[i] > pivot && at < width) atomicOr(&winners[at >> 5], 1u << (at & 31u));
      }
      __syncthreads();
      const std::uint32_t per_thread = (words + kThreads - 1) / kThreads;
      const std::uint32_t first = threadIdx.x * per_thread;
      const std::uint32_t last = min(words, first + per_thread);
      std::uint32_t mine = 0;
      for (std::uint32_t i = first; i < last; ++i) mine += __popc(winners[i]);
      std::uint32_t total;
      std::uint32_t before = emitted + block_exclusive_sum<kThreads>(mine, s.rank.warp_sums, total);
      for (std::uint32_t i = first; i < last; ++i) {
        set_before[i] = before;
        before += __popc(winners[i]);
      }
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
        const std::uint32_t at = s.indices[i] - base;
        if (s.keys[i] > pivot && at < width) {
          const std::uint32_t below = winners[at >> 5] & ((1u << (at & 31u)) - 1u);
          emit(set_before[at >> 5] + __popc(below), base + at);
        }
      }
      emitted += total;
      __syncthreads();
    }
  }

  /// Marks the collected keys equal to a pivot.
  struct MarkCollected {
    static constexpr bool kMarked = false;
    std::uint32_t count, pivot;
    __device__ void operator()(Shared& s, std::uint32_t base, std::uint32_t width) const {
      for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
        const std::uint32_t at = s.indices[i] - base;
        if (at < width && s.keys[i] == pivot) atomicOr(&s.equal_bits[at >> 5], 1u << (at & 31u));
      }
    }
  };

  /// Marks the elements of the row equal to a pivot, unless collect() has.
  template <bool kMarked_, typename Row>
  struct MarkRow {
    static constexpr bool kMarked = kMarked_;
    Row row;
    std::uint32_t pivot;
    __device__ void operator()(Shared& s, std::uint32_t base, std::uint32_t width) const {
      if constexpr (!kMarked) {
        for (std::uint32_t i = threadIdx.x; i < width; i += kThreads) {
          if (row.key(row.raw(base + i)) == pivot) atomicOr(&s.equal_bits[i >> 5], 1u << (i & 31u));
        }
      }
    }
  };

  /// Emits the winners in index order: collected keys above the cut, and the first `equal_quota` elements
  /// equal to it, whose bits mark(s, base, width) sets in equal_bits for the columns [base, base + width)
  /// unless they are there already (kMarked). Returns one past the last index emitted for its equality.
  template <typename Mark, typename Emit>
  __device__ static std::uint32_t emit_winners(Shared& s, std::uint32_t n, std::uint32_t count, RankCut cut,
                                               const Mark& mark, const Emit& emit) {
    const bool ties_win = cut.equal_quota > 0;
    if (!ties_win) {
      emit_above(s, n, count, cut.pivot, emit);
      return 0;
    }
    std::uint32_t* winners = s.histogram;
    std::uint32_t emitted_above = 0, seen_equal = 0;
    if (threadIdx.x == 0) s.equal_end = 0;
    for (std::uint32_t base = 0; base < n; base += kWindow) {
      const std::uint32_t width = min(static_cast<std::uint32_t>(kWindow), n - base);
      const std::uint32_t words = (width + 31) / 32;
      for (std::uint32_t i = threadIdx.x; i < words; i += kThreads) {
        winners[i] = 0;
        if (!Mark::kMarked) s.equal_bits[i] = 0;
      }
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
        const std::uint32_t at = s.indices[i] - base;
        if (at < width && s.keys[i] > cut.pivot) atomicOr(&winners[at >> 5], 1u << (at & 31u));
      }
      if (seen_equal < cut.equal_quota) mark(s, base, width);
      __syncthreads();

      const std::uint32_t per_thread = (words + kThreads - 1) / kThreads;
      const std::uint32_t first = threadIdx.x * per_thread;
      const std::uint32_t last = min(words, first + per_thread);
      std::uint32_t above = 0, equal = 0;
      for (std::uint32_t i = first; i < last; ++i) {
        above += __popc(winners[i]);
        equal += __popc(s.equal_bits[i]);
      }
      unsigned long long total;
      const unsigned long long packed = (static_cast<unsigned long long>(equal) << 32) | above;
      const unsigned long long before = block_exclusive_sum<kThreads>(packed, s.warp_sums, total);
      std::uint32_t equal_before = seen_equal + static_cast<std::uint32_t>(before >> 32);
      std::uint32_t position =
          emitted_above + static_cast<std::uint32_t>(before) + min(equal_before, cut.equal_quota);
      for (std::uint32_t i = first; i < last; ++i) {
        const std::uint32_t ties = equal_before < cut.equal_quota ? s.equal_bits[i] : 0;
        std::uint32_t both = winners[i] | ties;
        while (both != 0) {
          const std::uint32_t bit = both & (0u - both);
          both ^= bit;
          const std::uint32_t index =
              base + 32 * i + static_cast<std::uint32_t>(__ffs(static_cast<int>(bit))) - 1;
          if ((ties & bit) != 0) {
            if (equal_before++ >= cut.equal_quota) continue;
            if (equal_before == cut.equal_quota) s.equal_end = index + 1;
          }
          emit(position++, index);
        }
      }
      emitted_above += static_cast<std::uint32_t>(total);
      seen_equal += static_cast<std::uint32_t>(total >> 32);
      __syncthreads();
    }
    return s.equal_end;
  }
};

}  // namespace plumbline::gpu
