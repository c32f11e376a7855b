#pragma once

#include "gpu/trace/trace_tag.h"

namespace plumbline::gpu {

/// Called by all threads of a kernel; the grid's first writes the tag. Nothing waits for it. Compiled out
/// without PLUMBLINE_TRACE.
__device__ __forceinline__ void record_hit(const TraceTag& tag, dispatch::Kernel kernel) {
#ifdef PLUMBLINE_TRACE
  if (tag.log == nullptr || (blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x) != 0) return;
  const std::uint32_t slot = atomicAdd(&tag.log->taken, 1u);
  if (slot < tag.log->capacity) tag.log->records[slot] = {tag.nonce, tag.route, kernel};
#endif
}

}  // namespace plumbline::gpu
