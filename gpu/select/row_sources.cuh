#pragma once

#include "gpu/select/paged_inputs.cuh"
#include "gpu/select/row_vectors.cuh"
#include "gpu/select/score_key.cuh"

#include <cstdint>

// Where a selection reads a row from. A source hands out raw numbers, knows the key of the score each stands
// for, and compares raw numbers with a bound's key without making scores of them.

namespace plumbline::gpu {

/// A row of scores.
struct PlaneRow {
  const float* scores;

  struct Bound {
    float score;
  };
  __device__ static bool comparable(std::uint32_t bound) {
    const float score = key_score(bound);
    return score == score && bound != 0x7FFFFFFFu;
  }
  __device__ static Bound bound(std::uint32_t key) { return {key_score(key)}; }
  __device__ static bool above(float raw, Bound bound) { return !(raw <= bound.score); }
  __device__ static bool equals(float raw, Bound bound) { return raw == bound.score; }
  __device__ static std::uint32_t key(float raw) { return score_key(raw); }

  __device__ RowVectors vectors(std::uint32_t n) const { return row_vectors(scores, n); }
  __device__ float raw(std::uint32_t index) const { return scores[index]; }
  __device__ static float4 load(const RowVectors& v, std::uint32_t i) { return v.body[i]; }
  __device__ static float4 load_once(const RowVectors& v, std::uint32_t i) { return __ldcs(v.body + i); }
};

/// A row of products, one line per head: a raw number is the head sum, whose division by sqrt(128) is the
/// score, or -inf behind an unmapped page. Lines start at 16-byte boundaries.
struct ProductRow {
  const float* heads;  ///< line of head 0
  std::int64_t stride;
  const std::uint8_t* mapped;  ///< [columns], 0 behind unmapped pages

  /// The sums whose score equals the bound's: [lowest, above).
  struct Bound {
    float lowest, above;
  };
  __device__ static bool comparable(std::uint32_t bound) {
    const float score = key_score(bound);
    return score >= 0.0f && score < INFINITY && bound != 0x7FFFFFFFu;
  }
  /// Division is monotone, so both ends are found by steps from the product; few, unless scores are subnormal
  /// (12 sums then share one).
  __device__ static Bound bound(std::uint32_t key) {
    const float score = key_score(key);
    const auto step = [](float x, int by) { return __int_as_float(__float_as_int(x) + by); };
    float sum = score * kSqrtIndexDim;
    while (sum > 0.0f && __fdiv_rn(step(sum, -1), kSqrtIndexDim) >= score) sum = step(sum, -1);
    while (__fdiv_rn(sum, kSqrtIndexDim) < score) sum = step(sum, 1);
    float above = sum;
    while (__fdiv_rn(above, kSqrtIndexDim) <= score) above = step(above, 1);
    return {sum, above};
  }
  __device__ static bool above(float raw, Bound bound) { return !(raw < bound.above); }
  __device__ static bool equals(float raw, Bound bound) { return raw >= bound.lowest && raw < bound.above; }
  __device__ static std::uint32_t key(float raw) { return score_key(__fdiv_rn(raw, kSqrtIndexDim)); }

  __device__ RowVectors vectors(std::uint32_t n) const {
    return {reinterpret_cast<const float4*>(heads), 0, n / 4};
  }
  __device__ float raw(std::uint32_t index) const {
    if (mapped[index] == 0) return -INFINITY;
    const float* head = heads + index;
    return head_sum(head[0], head[stride], head[2 * stride], head[3 * stride]);
  }
  __device__ float4 load(const RowVectors& v, std::uint32_t i) const {
    return summed(*line(v, 0, i), *line(v, 1, i), *line(v, 2, i), *line(v, 3, i), i);
  }
  __device__ float4 load_once(const RowVectors& v, std::uint32_t i) const {
    return summed(__ldcs(line(v, 0, i)), __ldcs(line(v, 1, i)), __ldcs(line(v, 2, i)), __ldcs(line(v, 3, i)),
                  i);
  }

 private:
  __device__ const float4* line(const RowVectors& v, int head, std::uint32_t i) const {
    return v.body + head * (stride / 4) + i;
  }
  __device__ float4 summed(float4 a, float4 b, float4 c, float4 d, std::uint32_t i) const {
    float4 sum = make_float4(head_sum(a.x, b.x, c.x, d.x), head_sum(a.y, b.y, c.y, d.y),
                             head_sum(a.z, b.z, c.z, d.z), head_sum(a.w, b.w, c.w, d.w));
    const std::uint32_t live = reinterpret_cast<const std::uint32_t*>(mapped)[i];
    if (live != 0x01010101u) {
      if ((live & 0x000000FFu) == 0) sum.x = -INFINITY;
      if ((live & 0x0000FF00u) == 0) sum.y = -INFINITY;
      if ((live & 0x00FF0000u) == 0) sum.z = -INFINITY;
      if ((live & 0xFF000000u) == 0) sum.w = -INFINITY;
    }
    return sum;
  }
};

}  // namespace plumbline::gpu
