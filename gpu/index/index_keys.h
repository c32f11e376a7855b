#pragma once

#include "gpu/index/indexer_inputs.h"
#include "gpu/trace/trace_tag.h"

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Takes in a step's raw keys. A row that is its group's last makes the group's key: the float32 mean of the
/// members, stored; Gemma RMSNorm, stored; RoPE at the first member's coordinates, each operation stored
/// (MODEL.md §2 "QSA indexer"); into the slot the page table gives, nowhere where that is unmapped or beyond
/// the table. Members before the step come from the ring. Then the ring takes the step's last keys.
///
/// Whatever a sequence is cut into, and whatever was rolled back between (index_ring.h), a complete block's
/// key has the same bits. Nothing else of the store is written, and nothing behind a row's place read. Throws
/// Unsupported for parameters outside their ranges.
void append_index_keys(const IndexerParameters& indexer, const IndexStep& step, const IndexKeyStore& store,
                       cudaStream_t stream, const TraceTag& tag = {});

/// Its two parts, each a launch; the first must be over before the second starts.
void compress_index_keys(const IndexerParameters& indexer, const IndexStep& step, const IndexKeyStore& store,
                         cudaStream_t stream, const TraceTag& tag = {});
void keep_raw_keys(const IndexerParameters& indexer, const IndexStep& step, const IndexKeyStore& store,
                   cudaStream_t stream, const TraceTag& tag = {});

}  // namespace plumbline::gpu
