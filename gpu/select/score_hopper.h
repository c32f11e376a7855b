#pragma once

#include "gpu/select/paged_inputs.h"
#include "gpu/trace/trace_tag.h"

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Scores of one request on the tensor cores of capability 9.0 (wgmma), straight from the page table:
/// scores[r · row_stride + c] for every c < columns, -inf at and behind visible[r] and behind unmapped pages.
/// Per head eight chained steps of 16 along the key, ascending; the rest as block_score. Throws Unsupported
/// on another capability or with more than one request.
void score_hopper(const PagedInputs& inputs, std::int32_t columns, const std::int32_t* visible, float* scores,
                  std::int64_t row_stride, cudaStream_t stream, TraceTag tag = {});

}  // namespace plumbline::gpu
