#pragma once

#include "gpu/attention/sparse_attention.h"
#include "gpu/select/mma_fragments.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>

// What the attention kernels share: where a token lies, numbers of a storage type, and how a sum is finished.

namespace plumbline::gpu {

template <KeyType kType>
struct StoredNumber;
template <>
struct StoredNumber<KeyType::kFloat16> {
  using Type = __half;
  static __device__ __forceinline__ float widen(__half x) { return __half2float(x); }
  static __device__ __forceinline__ __half round(float x) { return __float2half_rn(x); }
};
template <>
struct StoredNumber<KeyType::kBfloat16> {
  using Type = __nv_bfloat16;
  static __device__ __forceinline__ float widen(__nv_bfloat16 x) { return __bfloat162float(x); }
  static __device__ __forceinline__ __nv_bfloat16 round(float x) { return __float2bfloat16_rn(x); }
};

/// The slot (page · page_size + offset) of entry `i` of a row's list, or −1 where it points nowhere.
__device__ __forceinline__ std::int64_t slot_of(const AttentionRequest& r, std::int64_t row,
                                                std::int32_t request, std::int64_t i) {
  if (i >= r.selected || request < 0 || request >= r.requests) return -1;
  const std::int32_t token = r.tokens[row * r.selected + i];
  if (token < 0) return -1;
  const std::int32_t logical = token / r.page_size;
  if (logical >= r.table_width) return -1;
  const std::int64_t page = r.page_table[std::int64_t{request} * r.table_width + logical];
  return page >= 0 && page < r.pages ? page * r.page_size + token % r.page_size : -1;
}

/// An e4m3fn number, exactly: its bits are a half's whose exponent is 8 too small; 0x7F is NaN.
__device__ __forceinline__ float widen_e4m3(std::uint32_t byte) {
  if ((byte & 0x7Fu) == 0x7Fu) return CUDART_NAN_F;
  const unsigned short bits = static_cast<unsigned short>((byte & 0x80u) << 8 | (byte & 0x7Fu) << 7);
  return __half2float(__ushort_as_half(bits)) * 256.0f;
}

/// The result of one element: sum / weight · value scale, rounded; times the gate's sigmoid, rounded again.
/// 0 where no token contributed.
template <KeyType kType>
__device__ __forceinline__ void write_result(const AttentionRequest& r, std::int64_t element, float sum,
                                             float weight) {
  using Number = StoredNumber<kType>;
  using T = typename Number::Type;
  T out = Number::round(weight == 0.0f ? 0.0f : __fdiv_rn(sum, weight) * r.value_scale);
  if (r.gate != nullptr && weight != 0.0f) {
    const float gate = Number::widen(static_cast<const T*>(r.gate)[element]);
    const float open = __fdiv_rn(1.0f, 1.0f + expf(-gate));
    out = Number::round(Number::widen(out) * open);
  }
  static_cast<T*>(r.output)[element] = out;
}

/// ln Σ e^score of a largest score to the base 2 and its weights.
__device__ __forceinline__ float natural_lse(float largest, float weight) {
  return weight == 0.0f ? -CUDART_INF_F : (largest + log2f(weight)) * 0.693147180559945309f;
}

/// 2^(score − largest); 0 for a score of −infinity, also where nothing is larger.
__device__ __forceinline__ float weight_of(float score, float largest) {
  return score == -CUDART_INF_F ? 0.0f : exp2f(score - largest);
}

}  // namespace plumbline::gpu
