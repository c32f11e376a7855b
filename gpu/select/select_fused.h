#pragma once

#include "gpu/runtime/device_buffer.h"
#include "gpu/select/paged_inputs.h"

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Scoring fused with exact selection on capability 9.0: the score matrix is never written. Contract
/// `canonical` on the scores of score_hopper, bit for bit.
///
/// A bound per row comes from the sums of a sample of blocks; one pass of tensor-core products keeps the
/// blocks above it in lists, one per (row, key range). A block per row then proves by counting that the lists
/// hold the answer and selects. A row they do not prove (a list overflowed, too few above the bound: ties at
/// it) is scored again into memory and selected by the exact route; such rows are counted, none is answered
/// from less.
class FusedSelector {
 public:
  /// blocks[r · k …] of every row; `visible` counts at most `columns`. One request. Throws Unsupported for
  /// another capability, more requests, or k outside 1 … 1,024. Everything runs on `stream`.
  void select(const PagedInputs& inputs, std::int32_t columns, const std::int32_t* visible, std::int32_t k,
              std::int32_t* blocks, cudaStream_t stream);

  /// Rows of the last call that took the exact route; synchronises.
  std::int32_t rescored_rows(cudaStream_t stream) const;

 private:
  DeviceBuffer<float> samples_;          // [rows, samples] doubled head sums
  DeviceBuffer<float> bounds_;           // [rows]
  DeviceBuffer<std::uint64_t> entries_;  // [rows, splits, capacity]: sum bits, block
  DeviceBuffer<std::uint32_t> counts_;   // [rows, splits]
  DeviceBuffer<std::int32_t> rescored_;  // [0]: count, then rows
  DeviceBuffer<float> plane_;            // scores of the rescored rows
};

}  // namespace plumbline::gpu
