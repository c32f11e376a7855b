#pragma once

#include "gpu/select/paged_inputs.h"

#include <cstdint>

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// out[t, i, j] = Σ_k a[t, i, k]·b[t, j, k], [tiles, 16, 8], as a chain of mma.sync.m16n8k16 from +0, k
/// ascending: one warp a tile. `a` is [tiles, 16, inner], `b` [tiles, 8, inner], 16-bit; `inner` is a
/// multiple of 16. Throws Unsupported below capability 8.0, where the instruction does not exist.
void mma_dot(KeyType type, const void* a, const void* b, std::int64_t tiles, std::int32_t inner, float* out,
             cudaStream_t stream);

}  // namespace plumbline::gpu
