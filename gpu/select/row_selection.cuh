#pragma once

#include "gpu/select/row_emission.cuh"
#include "gpu/select/row_path.h"
#include "gpu/select/row_sources.cuh"
#include "gpu/select/row_vectors.cuh"

#include <cstdint>

namespace plumbline::gpu {

/// The canonical selection of one row by one block of kThreads threads.
///
/// A bound L is taken from a sample of the row; one pass over the row collects every element above L in
/// shared memory and counts those equal to L. The counts are exact, so they prove whether the collected
/// elements hold the answer; if not, histograms over the whole row give a bound that must hold, and the row
/// is passed again. The capacity of the buffer therefore costs time, never a winner. Winners become bits of
/// an index bitmap that is read out in order: ascending output and lowest-index ties without a sort. A Row is
/// a source of row_sources.cuh.
template <int kThreads, int kCapacity, int kInFlight = 4, int kWindow_ = 65536>
struct RowSelection : RowEmission<kThreads, kCapacity, kWindow_> {
  using Emission = RowEmission<kThreads, kCapacity, kWindow_>;
  using typename Emission::MarkCollected;
  using typename Emission::Shared;
  template <bool kMarked, typename Row>
  using MarkRow = typename Emission::template MarkRow<kMarked, Row>;
  using Emission::emit_above;
  using Emission::emit_winners;
  using Emission::kWindow;
  static constexpr int kMaxSamples = kCapacity < 4096 ? kCapacity : 4096;

  struct Counts {
    std::uint32_t collected;  ///< entries in the buffer, or more than fit
    std::uint32_t above;      ///< elements above the bound
    std::uint32_t equal;      ///< elements equal to it
  };

  /// Samples so that the k-th largest of n scores is expected near the 10th of the sample or deeper (the 20th
  /// where the buffer is tight): about 3 (2.3) times k elements then lie above the bound.
  __host__ __device__ static std::uint32_t sample_size(std::uint32_t n, std::uint32_t k) {
    const std::uint64_t depth = kCapacity >= 8 * k ? 10 : 20;
    std::uint32_t samples = 1024;
    while (samples < kMaxSamples && samples * static_cast<std::uint64_t>(k) < depth * n) samples *= 2;
    return samples;
  }

  /// A bound that about 4 standard deviations put below the k-th score. Samples are aligned vectors of four,
  /// each a whole memory sector's worth of one access: scattered single scores would cost as much traffic as
  /// the row.
  template <typename Row>
  __device__ static std::uint32_t sampled_bound(Shared& s, const Row& row, std::uint32_t n, std::uint32_t k) {
    const std::uint32_t samples = sample_size(n, k);
    const RowVectors v = row.vectors(n);
    for (std::uint32_t j = threadIdx.x; j < samples / 4; j += kThreads) {
      const float4 x = row.load(v, sampled_vector(j, samples, v.count));
      s.keys[4 * j] = row.key(x.x);
      s.keys[4 * j + 1] = row.key(x.y);
      s.keys[4 * j + 2] = row.key(x.z);
      s.keys[4 * j + 3] = row.key(x.w);
    }
    const float expected = static_cast<float>(k) * static_cast<float>(samples) / static_cast<float>(n);
    const float deep = expected + 8.0f + 4.0f * sqrtf(expected + 4.0f);
    const std::uint32_t rank = min(samples, static_cast<std::uint32_t>(deep) + 1u);
    __syncthreads();
    return select_rank<kThreads>(s.keys, samples, rank, 0u, 0xFFFFFFFFu, rank / 8, s.histogram, s.rank).pivot;
  }

  /// A bound that must hold: histograms over the whole row, 11 bits a pass, until the keys from a bin upwards
  /// fit the buffer or the k-th key itself is known.
  template <typename Row>
  __device__ static std::uint32_t exact_bound(Shared& s, const Row& row, std::uint32_t n, std::uint32_t k) {
    std::uint32_t low = 0, high = 0xFFFFFFFFu, above = 0;
    while (true) {
      const int bits = 32 - __clz(static_cast<int>(high - low));
      const int shift = bits > 11 ? bits - 11 : 0;
      for (int i = static_cast<int>(threadIdx.x); i < kRankBins; i += kThreads) s.histogram[i] = 0;
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
        const std::uint32_t key = row.key(row.raw(i));
        if (key >= low && key <= high) atomicAdd(&s.histogram[(key - low) >> shift], 1u);
      }
      __syncthreads();
      find_rank_bin<kThreads>(s.histogram, k - above, s.rank);
      above += s.rank.above;
      const std::uint32_t with_bin = above + s.rank.population;
      low += s.rank.bin << shift;
      const std::uint32_t width = (1u << shift) - 1u;
      if (high - low > width) high = low + width;
      __syncthreads();
      if (shift == 0) return low;
      if (with_bin <= kCapacity && low > 0) return low - 1;
    }
  }

  /// Collects the elements above `bound` and counts those equal to it. kByKey compares keys; otherwise raw
  /// numbers, which is cheaper: NaNs are then collected too, and those that rank below the bound are not
  /// counted.
  template <bool kByKey, typename Row>
  __device__ static Counts collect_with(Shared& s, const Row& row, std::uint32_t n, std::uint32_t bound) {
    const bool mark_equal = n <= kWindow;
    if (mark_equal) {
      for (std::uint32_t i = threadIdx.x; i < (n + 31) / 32; i += kThreads) s.equal_bits[i] = 0;
    }
    if (threadIdx.x == 0) s.count = s.equal_count = s.below_count = s.max_key = 0;
    __syncthreads();

    const typename Row::Bound raw_bound = kByKey ? typename Row::Bound{} : row.bound(bound);
    const auto above = [&](float x) { return kByKey ? row.key(x) > bound : row.above(x, raw_bound); };
    const auto equals = [&](float x) { return kByKey ? row.key(x) == bound : row.equals(x, raw_bound); };
    std::uint32_t equal = 0;
    const auto note_equal = [&](std::uint32_t index) {
      ++equal;
      if (mark_equal) atomicOr(&s.equal_bits[index >> 5], 1u << (index & 31u));
    };
    const auto take_alone = [&](std::uint32_t index) {
      const float x = row.raw(index);
      if (above(x)) {
        const std::uint32_t slot = atomicAdd(&s.count, 1u);
        if (slot < kCapacity) s.keys[slot] = __float_as_uint(x), s.indices[slot] = index;
      }
      if (equals(x)) note_equal(index);
    };

    const RowVectors v = row.vectors(n);
    const std::uint32_t head = v.head, vectors = v.count;
    const std::uint32_t tail = head + 4 * vectors;
    if (threadIdx.x < head) take_alone(threadIdx.x);
    if (threadIdx.x < n - tail) take_alone(tail + threadIdx.x);

    for (std::uint32_t first = 0; first < vectors;
         first += kInFlight * kThreads) {  // uniform: warps vote inside
      float4 loaded[kInFlight];
#pragma unroll
      for (int u = 0; u < kInFlight; ++u) {
        loaded[u] = row.load_once(v, min(first + u * kThreads + threadIdx.x, vectors - 1));
      }
      std::uint32_t mask = 0;
      bool any_equal = false;
#pragma unroll
      for (int u = 0; u < kInFlight; ++u) {
        const bool live = first + u * kThreads + threadIdx.x < vectors;
        const float x[4] = {loaded[u].x, loaded[u].y, loaded[u].z, loaded[u].w};
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          if (live && above(x[e])) mask |= 1u << (4 * u + e);
          any_equal |= live && equals(x[e]);
        }
      }
      const std::uint32_t mine = __popc(mask);
      const std::uint32_t through = warp_inclusive_sum(mine);
      const std::uint32_t total = __shfl_sync(kFullWarp, through, 31);
      if (total > 0) {
        std::uint32_t base = 0;
        if (lane_id() == 31) base = atomicAdd(&s.count, total);
        base = __shfl_sync(kFullWarp, base, 31);
        if (base + total <= kCapacity) {  // what does not fit is only counted
          std::uint32_t slot = base + through - mine;
#pragma unroll
          for (int u = 0; u < kInFlight; ++u) {
            const float x[4] = {loaded[u].x, loaded[u].y, loaded[u].z, loaded[u].w};
#pragma unroll
            for (int e = 0; e < 4; ++e) {
              if ((mask >> (4 * u + e) & 1u) != 0) {
                s.keys[slot] = __float_as_uint(x[e]);
                s.indices[slot] = head + 4 * (first + u * kThreads + threadIdx.x) + e;
                ++slot;
              }
            }
          }
        }
      }
      if (any_equal) {
#pragma unroll
        for (int u = 0; u < kInFlight; ++u) {
          const std::uint32_t at = first + u * kThreads + threadIdx.x;
          const float x[4] = {loaded[u].x, loaded[u].y, loaded[u].z, loaded[u].w};
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            if (at < vectors && equals(x[e])) note_equal(head + 4 * at + e);
          }
        }
      }
    }
    equal = warp_inclusive_sum(equal);
    if (lane_id() == 31 && equal > 0) atomicAdd(&s.equal_count, equal);
    __syncthreads();

    const std::uint32_t count = s.count;
    if (count <= kCapacity) {
      std::uint32_t high = 0, below = 0;
      for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
        const std::uint32_t key = row.key(__uint_as_float(s.keys[i]));
        s.keys[i] = key;
        high = max(high, key);
        below += key <= bound;
      }
#pragma unroll
      for (int offset = 16; offset > 0; offset >>= 1) {
        high = max(high, __shfl_xor_sync(kFullWarp, high, offset));
        below += __shfl_xor_sync(kFullWarp, below, offset);
      }
      if (lane_id() == 0) {
        atomicMax(&s.max_key, high);
        if (below > 0) atomicAdd(&s.below_count, below);
      }
      __syncthreads();
    }
    return {count, count - s.below_count, s.equal_count};
  }

  template <typename Row>
  __device__ static Counts collect(Shared& s, const Row& row, std::uint32_t n, std::uint32_t bound) {
    return row.comparable(bound) ? collect_with<false>(s, row, n, bound)
                                 : collect_with<true>(s, row, n, bound);
  }

  template <typename Row>
  __device__ static void load_whole_row(Shared& s, const Row& row, std::uint32_t n) {
    for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
      s.keys[i] = row.key(row.raw(i));
      s.indices[i] = i;
    }
    __syncthreads();
  }

  /// The cut among a whole row of `count` keys, by their true range.
  __device__ static RankCut cut_row(Shared& s, std::uint32_t count, std::uint32_t k) {
    std::uint32_t low = 0xFFFFFFFFu, high = 0;
    if (threadIdx.x == 0) s.min_key = 0xFFFFFFFFu, s.max_key = 0;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
      low = min(low, s.keys[i]);
      high = max(high, s.keys[i]);
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
      low = min(low, __shfl_xor_sync(kFullWarp, low, offset));
      high = max(high, __shfl_xor_sync(kFullWarp, high, offset));
    }
    if (lane_id() == 0) {
      atomicMin(&s.min_key, low);
      atomicMax(&s.max_key, high);
    }
    __syncthreads();
    return select_rank<kThreads>(s.keys, count, k, s.min_key, s.max_key, 0, s.histogram, s.rank);
  }

  /// Selects min(k, n) of row[0, n) and calls emit(position, index) once for each, positions 0, 1, … in
  /// ascending index order. Reads nothing behind n. k <= kCapacity.
  template <typename Emit>
  __device__ static RowPath run(Shared& s, const float* row, std::uint32_t n, std::uint32_t k,
                                const Emit& emit) {
    return run_on(s, PlaneRow{row}, n, k, emit);
  }
  template <typename Row, typename Emit>
  __device__ static RowPath run_on(Shared& s, const Row& row, std::uint32_t n, std::uint32_t k,
                                   const Emit& emit) {
    if (n <= k) {
      for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) emit(i, i);
      return RowPath::kIdentity;
    }
    if (n <= kCapacity) {
      load_whole_row(s, row, n);
      const RankCut cut = cut_row(s, n, k);
      emit_winners(s, n, n, cut, MarkCollected{n, cut.pivot}, emit);
      return RowPath::kDirect;
    }
    std::uint32_t bound = sampled_bound(s, row, n, k);
    Counts counts = collect(s, row, n, bound);
    bool rescanned = false;
    const auto holds = [&] { return counts.collected <= kCapacity && counts.above + counts.equal >= k; };
    if (!holds()) {
      __syncthreads();
      bound = exact_bound(s, row, n, k);
      counts = collect(s, row, n, bound);
      rescanned = true;
      if (!holds()) __trap();  // only if the scores change while they are read
    }
    if (counts.above >= k) {
      const RankCut cut =
          select_rank<kThreads>(s.keys, counts.collected, k, bound + 1, s.max_key, 0, s.histogram, s.rank);
      emit_winners(s, n, counts.collected, cut, MarkCollected{counts.collected, cut.pivot}, emit);
      return rescanned ? RowPath::kRescanned : RowPath::kFiltered;
    }
    const RankCut cut{bound, k - counts.above};
    n <= kWindow ? emit_winners(s, n, counts.collected, cut, MarkRow<true, Row>{row, bound}, emit)
                 : emit_winners(s, n, counts.collected, cut, MarkRow<false, Row>{row, bound}, emit);
    return rescanned ? RowPath::kRescanned : RowPath::kPivot;
  }
};

}  // namespace plumbline::gpu
