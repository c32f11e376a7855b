#pragma once

#include "gpu/trace/trace_tag.h"

namespace plumbline::gpu {

/// Called by all threads of a kernel; the grid's first writes the tag. Both additions return nothing, so that
/// the thread does not wait for them. Compiled out without PLUMBLINE_TRACE.
__device__ __forceinline__ void record_hit(const TraceTag& tag, dispatch::Kernel kernel) {
#ifdef PLUMBLINE_TRACE
  if (threadIdx.x != 0 || tag.log == nullptr) return;
  if ((blockIdx.x | blockIdx.y | blockIdx.z) != 0) return;
  TraceCell& cell = tag.log->cells[static_cast<int>(tag.route)][static_cast<int>(kernel)];
  (void)atomicAdd(&cell.nonces, static_cast<unsigned long long>(tag.nonce));
  (void)atomicAdd(&cell.hits, 1ull);
#endif
}

}  // namespace plumbline::gpu
