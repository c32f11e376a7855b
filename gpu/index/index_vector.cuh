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
  using Four = typename Stored::Four;
  float x[kChunks][4];

  __device__ static std::int32_t first(int chunk) { return 128 * chunk + 4 * lane_id(); }

  /// kWhole: dim is a multiple of 4 and vectors start at boundaries of four elements.
  template <bool kWhole>
  __device__ static IndexVector load(const Bits* from, std::int32_t dim) {
    IndexVector v;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      alignas(16) Bits bits[4] = {};
      if constexpr (kWhole) {
        if (first(c) < dim) *reinterpret_cast<Four*>(bits) = *reinterpret_cast<const Four*>(from + first(c));
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
      if constexpr (kWhole) {
        if (first(c) < dim) *reinterpret_cast<Four*>(to + first(c)) = Stored::four(x[c]);
      } else {
        for (int j = 0; j < 4; ++j)
          if (first(c) + j < dim) to[first(c) + j] = Stored::bits(x[c][j]);
      }
    }
  }
  /// Every element rounded to storage.
  __device__ void round() {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) round(x[c]);
  }

  __device__ void add(const IndexVector& v) {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll
      for (int j = 0; j < 4; ++j) x[c][j] += v.x[c][j];
    }
  }

  /// Gemma RMSNorm, rounded to storage: x · 1/√(mean(x²) + ε) · gain. Squares are summed per lane in rising
  /// order, lanes in a butterfly; the root is CUDA's, off by at most 2 ULP.
  template <bool kWhole>
  __device__ void norm(const float* gain, std::int32_t dim, float epsilon) {
    float sum = 0;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll
      for (int j = 0; j < 4; ++j) sum += x[c][j] * x[c][j];
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(kFullWarp, sum, offset);
    // The quotient by a power of two is the product with its reciprocal.
    const float count = static_cast<float>(dim);
    const float mean = (dim & (dim - 1)) == 0 ? sum * __frcp_rn(count) : __fdiv_rn(sum, count);
    const float scale = rsqrtf(mean + epsilon);
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      if constexpr (kWhole) {
        if (first(c) >= dim) continue;
        const float4 g = __ldg(reinterpret_cast<const float4*>(gain + first(c)));
        x[c][0] = x[c][0] * scale * g.x;
        x[c][1] = x[c][1] * scale * g.y;
        x[c][2] = x[c][2] * scale * g.z;
        x[c][3] = x[c][3] * scale * g.w;
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const std::int32_t e = first(c) + j;
          x[c][j] = e < dim ? x[c][j] * scale * __ldg(gain + e) : 0.0f;
        }
      }
    }
    round();
  }

  /// Stored cosines and sines of the elements a lane holds.
  struct Angles {
    alignas(16) Bits cosine[kChunks][4];
    alignas(16) Bits sine[kChunks][4];
  };
  /// kFours: half the rotary width is a multiple of 4, as are the vectors' starts. A coordinate beyond the
  /// table gives NaN.
  template <bool kFours>
  __device__ static Angles angles(const IndexerParameters& indexer, const std::int64_t (&coordinates)[3]) {
    const std::int32_t pairs = indexer.rotary_dim / 2;
    const auto* table = static_cast<const Bits*>(indexer.rotation);
    const bool one_row = coordinates[0] == coordinates[1] && coordinates[0] == coordinates[2];
    Angles a;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      if (first(c) >= 2 * pairs) continue;
      if (kFours && one_row && coordinates[0] >= 0 && coordinates[0] < indexer.rotation_rows) {
        const std::int32_t pair = first(c) < pairs ? first(c) : first(c) - pairs;
        const Bits* row = table + 2 * coordinates[0] * pairs + pair;
        *reinterpret_cast<Four*>(a.cosine[c]) = __ldg(reinterpret_cast<const Four*>(row));
        *reinterpret_cast<Four*>(a.sine[c]) = __ldg(reinterpret_cast<const Four*>(row + pairs));
        continue;
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const std::int32_t e = first(c) + j;
        if (e >= 2 * pairs) break;
        const std::int32_t pair = e < pairs ? e : e - pairs;
        const int of = axis(indexer, pair);  // no index: coordinates stay in registers
        const std::int64_t row = of == 0 ? coordinates[0] : of == 1 ? coordinates[1] : coordinates[2];
        const bool known = row >= 0 && row < indexer.rotation_rows;
        a.cosine[c][j] = known ? table[2 * row * pairs + pair] : Stored::bits(NAN);
        a.sine[c][j] = known ? table[(2 * row + 1) * pairs + pair] : Stored::bits(NAN);
      }
    }
    return a;
  }

  /// RoPE, each operation rounded to storage. `shared` holds this warp's 128 · kChunks floats at a boundary
  /// of four. kFours as for the angles.
  template <bool kFours>
  __device__ void rotate(const IndexerParameters& indexer, const Angles& a, float* shared) {
    const std::int32_t pairs = indexer.rotary_dim / 2;
#pragma unroll
    for (int c = 0; c < kChunks; ++c)
      *reinterpret_cast<float4*>(shared + first(c)) = make_float4(x[c][0], x[c][1], x[c][2], x[c][3]);
    __syncwarp();
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      if (first(c) >= 2 * pairs) continue;
      if constexpr (kFours) {
        const bool is_first = first(c) < pairs;
        const float4 other =
            *reinterpret_cast<const float4*>(shared + (is_first ? first(c) + pairs : first(c) - pairs));
        const float sign = is_first ? -1.0f : 1.0f;
        float turned[4] = {sign * other.x, sign * other.y, sign * other.z, sign * other.w};
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          turned[j] *= Stored::number(a.sine[c][j]);
          x[c][j] *= Stored::number(a.cosine[c][j]);
        }
        round(turned);
        round(x[c]);
#pragma unroll
        for (int j = 0; j < 4; ++j) x[c][j] += turned[j];
        round(x[c]);
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const std::int32_t e = first(c) + j;
          if (e >= 2 * pairs) break;
          const float other = e < pairs ? -shared[e + pairs] : shared[e - pairs];
          const float turned = stored<Stored>(other * Stored::number(a.sine[c][j]));
          x[c][j] = stored<Stored>(stored<Stored>(x[c][j] * Stored::number(a.cosine[c][j])) + turned);
        }
      }
    }
    __syncwarp();
  }

 private:
  __device__ static void round(float (&four)[4]) {
    const float2 low = Stored::rounded(four[0], four[1]), high = Stored::rounded(four[2], four[3]);
    four[0] = low.x;
    four[1] = low.y;
    four[2] = high.x;
    four[3] = high.y;
  }
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
