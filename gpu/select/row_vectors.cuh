#pragma once

#include <cstdint>

namespace plumbline::gpu {

/// A row's aligned vectors of four; `head` scores lie before them, at most three after.
struct RowVectors {
  const float4* body;
  std::uint32_t head, count;
};
__device__ inline RowVectors row_vectors(const float* row, std::uint32_t n) {
  const std::uint32_t misaligned =
      static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(row) >> 2) & 3u;
  const std::uint32_t head = min(n, (4u - misaligned) & 3u);
  return {reinterpret_cast<const float4*>(row + head), head, (n - head) / 4};
}

/// The j-th of samples / 4 vectors, spread over the row with a jitter that breaks its periods.
__host__ __device__ inline std::uint32_t sampled_vector(std::uint32_t j, std::uint32_t samples,
                                                        std::uint32_t vectors) {
  const std::uint32_t jitter = (j * 0x9E3779B1u) >> 16;
  const std::uint64_t scaled = ((static_cast<std::uint64_t>(j) << 16) | jitter) * vectors;
  return static_cast<std::uint32_t>((scaled >> 16) / (samples / 4));
}

}  // namespace plumbline::gpu
