#pragma once

#include "gpu/select/paged_inputs.h"
#include "gpu/trace/trace_tag.h"

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Block selections to token selections (ROUTES.md §5.3). `blocks` is [rows, k]; `tokens`
/// [rows, k·ratio + ratio − 1]: the first ratio·min(visible, k) entries expand the blocks in their order, the
/// open group's tokens follow at once, the rest is -1, as is any token outside the sequence and a padded row.
void expand_tokens(const PagedInputs& inputs, const std::int32_t* blocks, std::int32_t k,
                   std::int32_t* tokens, cudaStream_t stream, TraceTag tag = {});

}  // namespace plumbline::gpu
