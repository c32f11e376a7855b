#pragma once

#include "gpu/select/paged_inputs.h"
#include "gpu/trace/trace_tag.h"

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// visible[row] = blocks row may select among: complete and causal, at most `columns`; 0 for a padded row.
void count_visible_blocks(const PagedInputs& inputs, std::int32_t columns, std::int32_t* visible,
                          cudaStream_t stream, TraceTag tag = {});

}  // namespace plumbline::gpu
