#pragma once

#include <cstdint>

#include <cuda_fp16.h>

// Inputs made on the device by a written, portable rule: a value depends on (seed, index) alone.

namespace plumbline::gpu::bench {

__host__ __device__ inline std::uint64_t hash64(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15ull + index * 0xD1B54A32D192ED03ull + 0x2545F4914F6CDD1Dull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// About standard normal: the sum of four 16-bit uniforms, centred and scaled; exact in float32.
__host__ __device__ inline float normal(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t h = hash64(seed, index);
  const int sum = static_cast<int>(h & 0xFFFF) + static_cast<int>((h >> 16) & 0xFFFF) +
                  static_cast<int>((h >> 32) & 0xFFFF) + static_cast<int>(h >> 48);
  return static_cast<float>(sum - 131070) * (1.7320508f / 65536.0f);
}

enum class Plane {
  kRelu,         ///< continuous sums of four ReLU heads, 6 % zeros
  kQuantised,    ///< the same in multiples of 1/64
  kNarrow,       ///< distinct-ish values in one coarse 8-bit bin
  kRamp,         ///< ascending codes in one coarse bin, winners last
  kConstant,     ///< all equal
  kPlateau,      ///< m positives with m around k, zeros elsewhere
  kSignedZeros,  ///< +0 and -0, few positives
  kSpecials,     ///< ±NaN with payloads, ±inf, ±0 among normals
  kAllSpecial,   ///< rows of only NaN, only -inf, only +inf
  kCutoff,       ///< ones with 400 +inf
  kDenormal,     ///< denormal codes
  kHiddenHigh,   ///< the selection's own sample sees only the lowest values
  kHiddenLow,    ///< the sample sees only the highest values
  kBands,        ///< (column + row) mod 17
  kCount
};

inline const char* plane_name(Plane plane) {
  constexpr const char* kNames[] = {"relu",     "quantised",    "narrow",     "ramp",        "constant",
                                    "plateau",  "signed_zeros", "specials",   "all_special", "cutoff",
                                    "denormal", "hidden_high",  "hidden_low", "bands"};
  return kNames[static_cast<int>(plane)];
}

struct PlaneSpec {
  Plane plane;
  std::uint64_t seed;
  std::int64_t rows, row_stride;
  std::int32_t columns, k;
  const std::int32_t* lengths;
};

/// Whether the selection's sample holds the column of a row whose first score is `phase` past a 16-byte
/// boundary (in scores); repeats the rule of sampled_vector (row_vectors.cuh).
__device__ inline bool sampled_by_selection(std::uint32_t n, std::uint32_t k, std::uint32_t phase,
                                            std::uint32_t column) {
  const std::uint64_t depth = k <= 512 ? 10 : 20;
  std::uint32_t samples = 1024;
  while (samples < 4096 && samples * static_cast<std::uint64_t>(k) < depth * n) samples *= 2;
  const std::uint32_t head = (4 - phase) & 3, vectors = (n - head) / 4, drawn = samples / 4;
  if (column < head || column >= head + 4 * vectors) return false;
  const std::uint32_t vector = (column - head) / 4;
  const std::uint32_t near = static_cast<std::uint32_t>(static_cast<std::uint64_t>(vector) * drawn / vectors);
  for (std::uint32_t j = near > 1 ? near - 1 : 0; j <= near + 1 && j < drawn; ++j) {
    const std::uint32_t jitter = (j * 0x9E3779B1u) >> 16;
    if (((((static_cast<std::uint64_t>(j) << 16) | jitter) * vectors) >> 16) / drawn == vector) return true;
  }
  return false;
}

__device__ inline float plane_value(const PlaneSpec& s, std::int64_t row, std::uint32_t c, std::uint32_t n) {
  const std::uint64_t at = static_cast<std::uint64_t>(row) * 0x100000000ull + c;
  const std::uint64_t h = hash64(s.seed, at);
  const auto relu = [&] {
    float sum = 0;
    for (int head = 0; head < 4; ++head) sum += fmaxf(0.0f, normal(s.seed + 1 + head, at));
    return sum;
  };
  switch (s.plane) {
    case Plane::kRelu:
      return relu();
    case Plane::kQuantised:
      return rintf(relu() * 64.0f) / 64.0f;
    case Plane::kNarrow:
      return __uint_as_float(0x3F800000u + static_cast<std::uint32_t>(h & 0x1FFFFF));
    case Plane::kRamp:
      return __uint_as_float(0x3F800000u + c);
    case Plane::kConstant:
      return row % 3 == 0 ? 0.0f : row % 3 == 1 ? 1.5f : -2.0f;
    case Plane::kPlateau: {
      const std::int64_t counts[] = {0, 1, s.k - 1, s.k, s.k + 1, s.k / 2, 3};
      const std::uint64_t wanted = static_cast<std::uint64_t>(counts[row % 7]);
      // exactly `wanted` positives: columns of an arithmetic progression through the row
      const std::uint64_t step = wanted > 0 ? n / (wanted + 1) : 0;
      const bool positive = wanted > 0 && step > 0 && c % step == step - 1 && c / step < wanted;
      return positive ? 0.001f + static_cast<float>(h & 0xFFFF) : 0.0f;
    }
    case Plane::kSignedZeros:
      return h % 331 == 0 ? 1.0f : (h & 1024) != 0 ? -0.0f : 0.0f;
    case Plane::kSpecials: {
      const std::uint32_t pick = static_cast<std::uint32_t>((h >> 32) % 1500);
      const std::uint32_t payload = (h & 3) == 0 ? 0x7FFFFFu : static_cast<std::uint32_t>(h & 0x7FFFFF) | 1u;
      if (pick < 2) return __uint_as_float(0x7F800000u | payload);
      if (pick < 4) return __uint_as_float(0xFF800000u | payload);
      if (pick < 6) return __uint_as_float(0x7F800000u);
      if (pick < 9) return __uint_as_float(0xFF800000u);
      if (pick < 40) return (h & 1) != 0 ? 0.0f : -0.0f;
      return normal(s.seed + 9, at) * (row % 5 == 0 ? 1e38f : 1.0f);
    }
    case Plane::kAllSpecial: {
      const std::uint32_t payload = row % 8 < 4 ? 0x7FFFFFu : static_cast<std::uint32_t>(h & 0x7FFFFF) | 1u;
      if (row % 4 == 0) return __uint_as_float(0x7F800000u | payload);
      if (row % 4 == 1) return __uint_as_float(0xFF800000u);
      if (row % 4 == 2) return __uint_as_float(0x7F800000u);
      return __uint_as_float(0xFF800000u | payload);
    }
    case Plane::kCutoff:
      return (h >> 20) % n < 400 ? __uint_as_float(0x7F800000u) : 1.0f;
    case Plane::kDenormal:
      return __uint_as_float(1u + static_cast<std::uint32_t>(h & 0x7FFFF));
    case Plane::kHiddenHigh:
    case Plane::kHiddenLow: {
      const bool low = sampled_by_selection(n, static_cast<std::uint32_t>(s.k),
                                            static_cast<std::uint32_t>(row * s.row_stride & 3),
                                            c) == (s.plane == Plane::kHiddenHigh);
      const float value = __uint_as_float(0x3F800000u + static_cast<std::uint32_t>(h & 0x3FFFFF));
      return low ? value * 0x1p-20f : value;
    }
    case Plane::kBands:
      return static_cast<float>((c + row) % 17);
    default:
      return 0.0f;
  }
}

/// Fills the plane; columns at or behind a row's length get what would win if it were read.
[[maybe_unused]] static __global__ void fill_plane(PlaneSpec s, float* scores) {
  const std::int64_t row = blockIdx.y;
  const std::uint32_t n = static_cast<std::uint32_t>(max(0, min(s.lengths[row], s.columns)));
  for (std::int64_t c = blockIdx.x * blockDim.x + threadIdx.x; c < s.row_stride;
       c += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const bool live = c < n;
    scores[row * s.row_stride + c] = live ? plane_value(s, row, static_cast<std::uint32_t>(c), n)
                                          : __uint_as_float(c % 2 == 0 ? 0x7F800000u : 0x7FC12345u);
  }
}

/// Lengths of edge cases for the first rows, full rows after them; every eighth row an arbitrary length.
[[maybe_unused]] static __global__ void fill_lengths(std::int32_t* lengths, std::int64_t rows,
                                                     std::int32_t columns, std::int32_t k, std::uint64_t seed,
                                                     bool edges) {
  const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (row >= rows) return;
  const std::int32_t special[] = {
      0,     1,     -1,    k - 1, k,           k + 1,          2304,        2305,      3708,  3709,
      4095,  4096,  4097,  8191,  8192,        8193,           16384,       16385,     32767, 32768,
      32769, 65535, 65536, 65537, columns - 1, columns + 5000, -2000000000, 2147483647};
  constexpr int kSpecial = sizeof(special) / sizeof(special[0]);
  std::int32_t n = columns;
  if (edges && row < kSpecial) n = special[row];
  if (edges && row >= kSpecial && row % 8 == 7)
    n = static_cast<std::int32_t>(hash64(seed, row) % (columns + 1));
  lengths[row] = n;
}

/// fp16 bits of about-normal values times `scale`.
[[maybe_unused]] static __global__ void fill_half_normal(std::uint16_t* out, std::int64_t count,
                                                         std::uint64_t seed, float scale) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    out[i] = __half_as_ushort(__float2half_rn(normal(seed, i) * scale));
  }
}

}  // namespace plumbline::gpu::bench
