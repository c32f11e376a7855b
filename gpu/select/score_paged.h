#pragma once

#include "gpu/select/paged_inputs.h"
#include "gpu/trace/trace_tag.h"

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Scores straight from the page table, any mix of requests: scores[r · row_stride + c] for c < visible[r],
/// -inf behind unmapped pages; columns at and behind visible[r] are left as they were. `visible` must not
/// exceed the page table's capacity. Tensor cores (mma.sync, ascending steps of 16 along the key) where the
/// capability has them for the type: float16 from 7.5, bfloat16 from 8.0; otherwise one ascending chain of
/// fused multiply-adds. `columns` bounds the visible counts.
void score_paged(const PagedInputs& inputs, std::int32_t columns, const std::int32_t* visible, float* scores,
                 std::int64_t row_stride, cudaStream_t stream, TraceTag tag = {});

}  // namespace plumbline::gpu
