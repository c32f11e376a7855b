#pragma once

#include "gpu/index/stored_number.cuh"
#include "gpu/select/block_scan.cuh"

#include <cstdint>

namespace plumbline::gpu {

/// One index vector of up to 128 · kChunks elements in a warp: lane l holds the elements 128·c + 4·l + j.
/// Elements at and behind `dim` are 0.
template <typename Stored, int kChunks>
struct IndexVector {
  using Bits = typename Stored::Bits;
  float x[kChunks][4];

  __device__ static std::int32_t first(int chunk) { return 128 * chunk + 4 * lane_id(); }

  /// kWhole: dim is a multiple of 4 and vectors start at boundaries of four elements.
  template <bool kWhole>
  __device__ static IndexVector load(const Bits* from, std::int32_t dim) {
    IndexVector v;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      Bits bits[4] = {};
      if constexpr (kWhole) {
        if (first(c) < dim)
          *reinterpret_cast<typename Stored::Four*>(bits) =
              *reinterpret_cast<const typename Stored::Four*>(from + first(c));
      } else {
        for (int j = 0; j < 4; ++j) bits[j] = first(c) + j < dim ? from[first(c) + j] : Bits{};
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) v.x[c][j] = Stored::number(bits[j]);
    }
    return v;
  }
  template <bool kWhole>
  __device__ void store(Bits* to, std::int32_t dim) const {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      Bits bits[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) bits[j] = Stored::bits(x[c][j]);
      if constexpr (kWhole) {
        if (first(c) < dim)
          *reinterpret_cast<typename Stored::Four*>(to + first(c)) =
              *reinterpret_cast<const typename Stored::Four*>(bits);
      } else {
        for (int j = 0; j < 4; ++j)
          if (first(c) + j < dim) to[first(c) + j] = bits[j];
      }
    }
  }

  __device__ void add(const IndexVector& v) {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll
      for (int j = 0; j < 4; ++j) x[c][j] += v.x[c][j];
    }
  }

  /// Gemma RMSNorm, rounded to storage: x · 1/√(mean(x²) + ε) · gain. Squares are summed per lane in rising
  /// order, lanes in a butterfly.
  __device__ void norm(const float* gain, std::int32_t dim, float epsilon) {
    float sum = 0;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll
      for (int j = 0; j < 4; ++j) sum += x[c][j] * x[c][j];
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(kFullWarp, sum, offset);
    const float mean = __fdiv_rn(sum, static_cast<float>(dim));
    const float scale = __frcp_rn(__fsqrt_rn(mean + epsilon));
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const std::int32_t e = first(c) + j;
        x[c][j] = e < dim ? stored<Stored>(x[c][j] * scale * gain[e]) : 0.0f;
      }
    }
  }

  /// RoPE at a place, each operation rounded to storage. `shared` holds this warp's 128 · kChunks floats.
  __device__ void rotate(const IndexerParameters& indexer, const std::int64_t (&coordinates)[3],
                         float* shared) {
    const std::int32_t pairs = indexer.rotary_dim / 2;
    const auto* table = static_cast<const Bits*>(indexer.rotation);
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll
      for (int j = 0; j < 4; ++j) shared[first(c) + j] = x[c][j];
    }
    __syncwarp();
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      if (first(c) >= 2 * pairs) continue;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const std::int32_t e = first(c) + j;
        if (e >= 2 * pairs) break;
        const bool is_first = e < pairs;
        const std::int32_t pair = is_first ? e : e - pairs;
        const std::int64_t row = coordinates[axis(indexer, pair)];
        const bool known = row >= 0 && row < indexer.rotation_rows;
        const float cosine = known ? Stored::number(table[2 * row * pairs + pair]) : NAN;
        const float sine = known ? Stored::number(table[(2 * row + 1) * pairs + pair]) : NAN;
        const float other = shared[is_first ? e + pairs : pair];
        const float turned = stored<Stored>((is_first ? -other : other) * sine);
        x[c][j] = stored<Stored>(stored<Stored>(x[c][j] * cosine) + turned);
      }
    }
    __syncwarp();
  }

 private:
  /// Interleaved M-RoPE (MODEL.md §1).
  __device__ static int axis(const IndexerParameters& indexer, std::int32_t pair) {
    if (pair % 3 == 1 && pair < 3 * indexer.height_pairs) return 1;
    if (pair % 3 == 2 && pair < 3 * indexer.width_pairs) return 2;
    return 0;
  }
};

/// The three coordinates of a row: its place, or what is given.
__device__ __forceinline__ void coordinates_of(const std::int64_t* coordinates, std::int64_t at,
                                               std::int64_t place, std::int64_t (&out)[3]) {
#pragma unroll
  for (int axis = 0; axis < 3; ++axis)
    out[axis] = coordinates != nullptr ? coordinates[3 * at + axis] : place;
}

}  // namespace plumbline::gpu
