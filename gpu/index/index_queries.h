#pragma once

#include "gpu/index/indexer_inputs.h"
#include "gpu/trace/trace_tag.h"

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// queries[row, head, ·] of every live row, [rows, heads, dim]: Gemma RMSNorm in float32, stored; partial
/// half-split RoPE, each operation stored (MODEL.md §2 "Norms", "RoPE"). Rows of no request below `requests`
/// are padded and left as they were. Per vector the squares are summed in one written order, so a row's bits
/// do not depend on its step. Throws Unsupported for parameters outside their ranges.
void index_queries(const IndexerParameters& indexer, const IndexStep& step, std::int32_t requests,
                   void* queries, cudaStream_t stream, const TraceTag& tag = {});

}  // namespace plumbline::gpu
