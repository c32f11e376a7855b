#pragma once

#include "gpu/index/indexer_inputs.h"

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace plumbline::gpu {

/// A storage type: how a float32 is rounded to it, and four of its numbers moved at once.
struct StoredHalf {
  using Bits = std::uint16_t;
  using Four = uint2;
  __device__ static float number(Bits bits) { return __half2float(__ushort_as_half(bits)); }
  __device__ static Bits bits(float x) { return __half_as_ushort(__float2half_rn(x)); }
};
struct StoredBfloat16 {
  using Bits = std::uint16_t;
  using Four = uint2;
  __device__ static float number(Bits bits) {
    return __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
  }
  __device__ static Bits bits(float x) { return __bfloat16_as_ushort(__float2bfloat16_rn(x)); }
};
struct StoredFloat {
  using Bits = float;
  using Four = float4;
  __device__ static float number(Bits x) { return x; }
  __device__ static Bits bits(float x) { return x; }
};

/// x rounded to storage.
template <typename Stored>
__device__ __forceinline__ float stored(float x) {
  return Stored::number(Stored::bits(x));
}

/// Calls `work` with the storage type's tag.
template <typename Work>
void with_storage(IndexType type, const Work& work) {
  switch (type) {
    case IndexType::kFloat16:
      return work(StoredHalf{});
    case IndexType::kBfloat16:
      return work(StoredBfloat16{});
    case IndexType::kFloat32:
      return work(StoredFloat{});
  }
}

}  // namespace plumbline::gpu
