#pragma once

#include "gpu/select/fused_lists.cuh"

#include <cstdint>

#include <cuda_bf16.h>

namespace plumbline::gpu::hopper {

/// A row tile's sample: every split scores `per_split` blocks spread over its own range, so that no block of
/// threads reads keys it would not read anyway.
struct SampleShape {
  std::int32_t splits, per_split;  ///< per_split a multiple of 8
  __host__ __device__ std::int32_t count() const { return splits * per_split; }
};

inline constexpr std::int32_t kMaxSamples = 4096;

/// The sampled blocks of a split's range [first, last): one in every stretch of the range, shifted by a
/// jitter that breaks periods.
struct SampledBlocks {
  std::int32_t per_split, first, last;
  std::uint64_t stretch;  // 16 binary places

  __device__ SampledBlocks(std::int32_t per_split, std::int32_t first, std::int32_t last)
      : per_split(per_split),
        first(first),
        last(last),
        stretch((static_cast<std::uint64_t>(last - first) << 16) / static_cast<std::uint32_t>(per_split)) {}

  /// The `at`-th, or -1 behind the sample.
  __device__ __forceinline__ std::int32_t operator()(std::int32_t at) const {
    if (last - first <= per_split) return at < last - first ? first + at : -1;
    const std::uint32_t jitter = (static_cast<std::uint32_t>(at + first) * 0x9E3779B1u) >> 16;
    const std::uint64_t place = static_cast<std::uint32_t>(at) * stretch + (jitter * stretch >> 16);
    return at < per_split ? first + static_cast<std::int32_t>(place >> 16) : -1;
  }
};

/// The rank of a sample that about 3.5 standard deviations put at or below the k-th of n.
__host__ __device__ inline std::int32_t sample_rank(std::int32_t samples, std::int32_t n, std::int32_t k) {
  const float expected = static_cast<float>(k) * static_cast<float>(samples) / static_cast<float>(n);
  return static_cast<std::int32_t>(expected + 4.0f + 3.5f * sqrtf(expected + 2.0f)) + 1;
}

/// Stores a sample tile's sums as bfloat16, rounded down: -1 where the row has no such block. `samples` is
/// [rows, splits, per_split].
__device__ __forceinline__ void store_samples(const ScoreShared& s, const SampleShape& shape,
                                              std::int32_t tile, std::uint32_t mapped, std::int32_t split,
                                              const SampledBlocks& blocks, std::int64_t first_row,
                                              int first_query, const float (&sums)[kPairs],
                                              std::uint16_t* samples) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int key = static_cast<int>(threadIdx.x % 128 / 32) * 16 + lane / 4 + 8 * half;
    const std::int32_t at = tile * kTileKeys + key;
    const std::int32_t block = blocks(at);
    if (at >= shape.per_split) continue;
    const bool there = block >= 0 && (mapped >> (key & 15) & 1u) != 0;
#pragma unroll
    for (int pair = 0; pair < kPairs / 2; ++pair) {
      const int q = first_query + 4 * pair + (lane & 3);
      if (s.row[q] < 0) continue;
      const float sum = there && block < s.visible[q] ? sums[2 * pair + half] : -1.0f;
      samples[((first_row + q) * shape.splits + split) * shape.per_split + at] =
          static_cast<std::uint16_t>(__float_as_uint(sum) >> 16);
    }
  }
}

/// A warp's count of samples at or above `bits`; two a word, at most kMaxSamples.
__device__ __forceinline__ std::int32_t count_from(const std::uint32_t (&pairs)[kMaxSamples / 64],
                                                   std::int32_t used, std::uint32_t bits) {
  const std::uint32_t both = bits << 16 | bits;
  const __nv_bfloat162 level = *reinterpret_cast<const __nv_bfloat162*>(&both);
  __nv_bfloat162 sum = __float2bfloat162_rn(0.0f);
#pragma unroll
  for (int chunk = 0; chunk < kMaxSamples / 64; chunk += 8) {
    if (chunk >= used) break;
#pragma unroll
    for (int i = chunk; i < chunk + 8; ++i) {
      sum = __hadd2(sum, __hge2(*reinterpret_cast<const __nv_bfloat162*>(&pairs[i]), level));
    }
  }
  const float2 halves = __bfloat1622float2(sum);
  return __reduce_add_sync(0xFFFFFFFFu, static_cast<std::int32_t>(halves.x + halves.y));
}

/// The least sum >= `sum` whose score is at least that of `sum` … and the least that scores more: neighbours
/// of `sum`, a few steps away where the division merges them.
__device__ __forceinline__ RowBound bound_of(float sum) {
  if (!(sum < 0x1p115f)) return {INFINITY, INFINITY};
  const float score = score_of_doubled(sum);
  const std::uint32_t bits = __float_as_uint(sum);
  std::uint32_t scores_less = 0;  // below all that score as much: gallop down, then halve
  std::uint32_t least = bits;
  if (score_of_doubled(0.0f) == score) {
    least = 0;
  } else {
    for (std::uint32_t step = 1;; step *= 2) {
      const std::uint32_t at = bits > step ? bits - step : 0;
      if (score_of_doubled(__uint_as_float(at)) < score) {
        scores_less = at;
        break;
      }
      least = at;
    }
    while (least - scores_less > 1) {
      const std::uint32_t middle = scores_less + (least - scores_less) / 2;
      (score_of_doubled(__uint_as_float(middle)) < score ? scores_less : least) = middle;
    }
  }
  std::uint32_t equal = bits, above;
  for (std::uint32_t step = 1;; step *= 2) {
    above = bits + step;
    if (score_of_doubled(__uint_as_float(above)) > score) break;
    equal = above;
  }
  while (above - equal > 1) {
    const std::uint32_t middle = equal + (above - equal) / 2;
    (score_of_doubled(__uint_as_float(middle)) > score ? above : equal) = middle;
  }
  return {__uint_as_float(least), __uint_as_float(above)};
}

/// A row's bound from its samples: about the rank-th of them or a little below, at least 0; one warp.
__device__ __forceinline__ RowBound sampled_bound(const std::uint16_t* samples, std::int32_t count,
                                                  std::int32_t rank) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  std::uint32_t pairs[kMaxSamples / 64];
  const std::int32_t words = count / 2;
#pragma unroll
  for (int chunk = 0; chunk < kMaxSamples / 64; chunk += 8) {
#pragma unroll
    for (int i = chunk; i < chunk + 8; ++i) {
      pairs[i] = 0xBF80BF80u;
      if (i * 32 + lane < words)
        pairs[i] = __ldcg(reinterpret_cast<const std::uint32_t*>(samples) + i * 32 + lane);
    }
  }
  const std::int32_t used = (words + 31) / 32;
  std::uint32_t low = 0, high = 0x7F80u;  // 0 holds by itself; infinity is looked at last
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    const std::int32_t there = count_from(pairs, used, middle);
    if (there < rank) {
      high = middle;
    } else {
      low = middle;
      if (there - rank <= rank / 16) break;
    }
  }
  return bound_of(__uint_as_float(low << 16));
}

}  // namespace plumbline::gpu::hopper
