#pragma once

#include "gpu/select/hopper_tiles.cuh"

#include <cstdint>

namespace plumbline::gpu::hopper {

inline constexpr float kDoubledSqrtDim = 2.0f * kSqrtIndexDim;

/// The score of a doubled head sum: the same quotient, rounded once.
__device__ __forceinline__ float score_of_doubled(float sum) { return __fdiv_rn(sum, kDoubledSqrtDim); }

/// score_of_doubled of a sum with is_plain(sum): one correction of the product with the reciprocal, exact
/// because nothing under- or overflows.
__device__ __forceinline__ float divide_plain(float sum) {
  constexpr float kReciprocal = 1.0f / kDoubledSqrtDim;
  const float quotient = sum * kReciprocal;
  return fmaf(fmaf(-quotient, kDoubledSqrtDim, sum), kReciprocal, quotient);
}

/// 2^-95 <= sum < 2^125, or zero.
__device__ __forceinline__ bool is_plain(float sum) {
  const std::uint32_t bits = __float_as_uint(sum);
  return bits - 0x10000000u < 0x6E000000u || bits == 0;
}

/// Doubled head sums of a thread's pairs: sums[2·q + half] is query 4·q + lane % 4 of the group and key
/// lane / 4 + 8·half of the warp's 16.
__device__ __forceinline__ void reduce_heads(const float (&products)[kProducts], float (&sums)[kPairs]) {
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const float* h = products + 8 * (i / 2) + 2 * (i % 2);
    sums[i] = doubled_head_sum(h[0], h[1], h[4], h[5]);
  }
}

/// Whether all sums are finite, with room: non-negative, they show it in their total.
__device__ __forceinline__ bool all_finite(const float (&sums)[kPairs]) {
  float total = 0;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) total += sums[i];
  return total < 0x1p120f;
}

/// Whether divide_plain may be used on all of a thread's sums.
template <KeyType kType>
__device__ __forceinline__ bool all_plain(const float (&sums)[kPairs]) {
  // Float16 products are multiples of 2^-48: no sum is too small.
  if constexpr (kType == KeyType::kFloat16) return all_finite(sums);
  bool plain = true;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) plain &= is_plain(sums[i]);
  return plain;
}

/// Where a thread's scores go in a plane: its first query and key.
__device__ __forceinline__ float* plane_of_thread(float* plane, std::int64_t row_stride,
                                                  std::int64_t first_row, int group) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  return plane + (first_row + group * kGroupQueries + (lane & 3)) * row_stride +
         static_cast<std::int32_t>(threadIdx.x % 128 / 32) * 16 + lane / 4;
}

/// A score, or -inf where row q has no such block: key `key` of a warp's 16.
__device__ __forceinline__ float live_score(const ScoreShared& s, std::int32_t warp_first, int q, int key,
                                            std::uint32_t mapped, float score) {
  return warp_first + key < s.visible[q] && (mapped >> key & 1u) != 0 ? score : -INFINITY;
}

/// Stores a tile's scores, -inf where a row has no such block. `scores` are the thread's in the order of
/// reduce_heads; `out` is plane_of_thread.
__device__ __forceinline__ void store_scores(const ScoreShared& s, std::int32_t columns, std::int32_t tile,
                                             std::uint32_t mapped, int group, const float (&scores)[kPairs],
                                             float* out, std::int64_t row_stride) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int32_t warp_first = tile * kTileKeys + static_cast<std::int32_t>(threadIdx.x % 128 / 32) * 16;
  out += std::int64_t{tile} * kTileKeys;
  if (warp_first + 16 <= s.least_visible[group] && mapped == 0xFFFFu) {
#pragma unroll
    for (int pair = 0; pair < kPairs / 2; ++pair, out += 4 * row_stride) {
      out[0] = scores[2 * pair];
      out[8] = scores[2 * pair + 1];
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const int q = group * kGroupQueries + i / 2 * 4 + (lane & 3), key = lane / 4 + 8 * (i % 2);
    if (s.row[q] < 0 || warp_first + key >= columns) continue;
    out[i / 2 * 4 * row_stride + 8 * (i % 2)] = live_score(s, warp_first, q, key, mapped, scores[i]);
  }
}

/// The same to the rows' places in a plane of all rows.
__device__ __forceinline__ void store_in_place(const ScoreShared& s, std::int32_t columns, std::int32_t tile,
                                               std::uint32_t mapped, int group, const float (&scores)[kPairs],
                                               float* plane, std::int64_t row_stride) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int32_t warp_first = tile * kTileKeys + static_cast<std::int32_t>(threadIdx.x % 128 / 32) * 16;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const int q = group * kGroupQueries + i / 2 * 4 + (lane & 3), key = lane / 4 + 8 * (i % 2);
    if (s.row[q] < 0 || warp_first + key >= columns) continue;
    plane[s.row[q] * row_stride + warp_first + key] = live_score(s, warp_first, q, key, mapped, scores[i]);
  }
}

/// The scores of a thread's pairs, from its finite doubled sums.
template <KeyType kType>
__device__ __forceinline__ void divide_sums(const float (&sums)[kPairs], float (&scores)[kPairs]) {
  if (all_plain<kType>(sums)) {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) scores[i] = divide_plain(sums[i]);
  } else {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) scores[i] = score_of_doubled(sums[i]);
  }
}

/// The same from its products, also where sums of doubled products are not finite.
template <KeyType kType>
__device__ __forceinline__ void scores_of_products(const float (&products)[kProducts],
                                                   float (&scores)[kPairs]) {
  float sums[kPairs];
  reduce_heads(products, sums);
  if (all_plain<kType>(sums)) {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) scores[i] = divide_plain(sums[i]);
  } else {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const float* h = products + 8 * (i / 2) + 2 * (i % 2);
      scores[i] = block_score(h[0], h[1], h[4], h[5]);
    }
  }
}

/// Runs the block's share of a job: scores of every (row, block) to a plane whose rows follow the job's row
/// order. Work item = (row tile, split).
template <KeyType kType>
__device__ __forceinline__ void run_score_job(ScoreShared& s, const ScoreJob& job, float* plane,
                                              std::int64_t row_stride) {
  // Broadcast, so that the compiler knows it for uniform: operand descriptors then live in uniform registers.
  const int warpgroup = __shfl_sync(0xFFFFFFFFu, static_cast<int>(threadIdx.x / 128), 0);
  open_stages(s, kGroups);
  const std::int64_t rows = job.row_count != nullptr ? *job.row_count : job.inputs.rows;
  const std::int64_t row_tiles = (rows + kTileQueries - 1) / kTileQueries;
  const std::int32_t key_tiles = (job.columns + kTileKeys - 1) / kTileKeys;
  const std::int32_t most_splits = static_cast<std::int32_t>(gridDim.x / (row_tiles > 0 ? row_tiles : 1));
  const std::int32_t splits = job.splits > 0 ? job.splits : max(1, min(key_tiles, most_splits));
  if (warpgroup == 0) {
    give_registers_up<kProducerRegisters>();
    std::uint32_t fills = 0;
    for (std::int64_t work = blockIdx.x; work < row_tiles * splits; work += gridDim.x) {
      const std::int32_t split = static_cast<std::int32_t>(work / row_tiles);
      produce_keys(
          s, job.inputs, split_start(key_tiles, split, splits), split_start(key_tiles, split + 1, splits),
          [&](std::int32_t at) { return at < job.columns ? at : -1; }, fills);
    }
    return;
  }
  take_registers<kConsumerRegisters>();
  const int group = warpgroup - 1;
  StageReader reader(s);
  for (std::int64_t work = blockIdx.x; work < row_tiles * splits; work += gridDim.x) {
    const std::int64_t first_row = work % row_tiles * kTileQueries;
    const std::int32_t split = static_cast<std::int32_t>(work / row_tiles);
    load_row_tile(s, job, first_row, rows);
    float* const mine = plane_of_thread(plane, row_stride, first_row, group);
    multiply_tiles<kType, 1>(reader, s.query[group], 0, split_start(key_tiles, split, splits),
                             split_start(key_tiles, split + 1, splits),
                             [&](std::int32_t tile, std::uint32_t mapped, const float(&products)[kProducts]) {
                               float scores[kPairs];
                               scores_of_products<kType>(products, scores);
                               if (job.in_place) {
                                 store_in_place(s, job.columns, tile, mapped, group, scores, plane,
                                                row_stride);
                               } else {
                                 store_scores(s, job.columns, tile, mapped, group, scores, mine, row_stride);
                               }
                             });
  }
}

}  // namespace plumbline::gpu::hopper
