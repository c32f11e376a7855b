#pragma once

#include "gpu/select/topk_lexicographic.h"

namespace plumbline::gpu {

/// Top-k for few, long rows: a row is cut into parts, a block selects in each part, and the block that
/// finishes a row's last part selects among the parts' winners. No block waits for another. Promises
/// `set_exact`; the answer is in fact the canonical one, since both steps are. With enough rows to fill the
/// device, one part a row. Same errors as topk_lexicographic. Uses stream-ordered memory for the parts'
/// winners.
void topk_persistent(const TopkRequest& request, cudaStream_t stream, TraceTag tag = {});

/// How a call is spread: `parts` blocks per row, each of `part_columns` columns (the last may be shorter).
struct PersistentGeometry {
  std::int32_t parts = 1;
  std::int32_t part_columns = 0;
};

/// As many parts as fill `blocks_resident` blocks, none with fewer than 2·k or 4,096 columns. The parts'
/// winners fill whole rows of k but for the last part's.
PersistentGeometry persistent_geometry(std::int64_t rows, std::int32_t columns, std::int32_t k,
                                       std::int64_t blocks_resident);

}  // namespace plumbline::gpu
