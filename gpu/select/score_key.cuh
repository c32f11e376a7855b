#pragma once

#include <cstdint>

namespace plumbline::gpu {

/// The order of scores: larger key = better (the host's reference/numeric/key_bits.h states the same rule).
__device__ __forceinline__ std::uint32_t score_key(float score) {
  std::uint32_t bits = __float_as_uint(score);
  if ((bits & 0x7FFFFFFFu) == 0) bits = 0;
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

/// A float whose key is `key`, or -0 for the one key no score has (0x7FFFFFFF, just below zero).
__device__ __forceinline__ float key_score(std::uint32_t key) {
  return __uint_as_float((key & 0x80000000u) != 0 ? key ^ 0x80000000u : ~key);
}

}  // namespace plumbline::gpu
