#pragma once

#include "gpu/index/indexer_inputs.h"

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace plumbline::gpu {

/// A storage type: how float32 numbers are rounded to it, one or two in an instruction, and four of its
/// numbers moved at once.
struct StoredHalf {
  using Bits = std::uint16_t;
  using Four = uint2;
  __device__ static float number(Bits bits) { return __half2float(__ushort_as_half(bits)); }
  __device__ static Bits bits(float x) { return __half_as_ushort(__float2half_rn(x)); }
  __device__ static float2 rounded(float a, float b) { return __half22float2(__floats2half2_rn(a, b)); }
  __device__ static Four four(const float (&x)[4]) {
    const __half2 low = __floats2half2_rn(x[0], x[1]), high = __floats2half2_rn(x[2], x[3]);
    return {reinterpret_cast<const std::uint32_t&>(low), reinterpret_cast<const std::uint32_t&>(high)};
  }
};
struct StoredBfloat16 {
  using Bits = std::uint16_t;
  using Four = uint2;
  __device__ static float number(Bits bits) {
    return __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
  }
  __device__ static Bits bits(float x) { return __bfloat16_as_ushort(__float2bfloat16_rn(x)); }
  __device__ static float2 rounded(float a, float b) {
    const std::uint32_t pair = packed(a, b);
    return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000u)};
  }
  __device__ static Four four(const float (&x)[4]) { return {packed(x[0], x[1]), packed(x[2], x[3])}; }

 private:
  __device__ static std::uint32_t packed(float low, float high) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return reinterpret_cast<const std::uint32_t&>(pair);
  }
};
struct StoredFloat {
  using Bits = float;
  using Four = float4;
  __device__ static float number(Bits x) { return x; }
  __device__ static Bits bits(float x) { return x; }
  __device__ static float2 rounded(float a, float b) { return {a, b}; }
  __device__ static Four four(const float (&x)[4]) { return {x[0], x[1], x[2], x[3]}; }
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
