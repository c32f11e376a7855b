#pragma once

#include "gpu/runtime/device_buffer.h"
#include "gpu/select/paged_inputs.h"
#include "gpu/trace/trace_tag.h"

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Scoring fused with exact selection on capability 9.0: select.fused never writes the score matrix,
/// select.two_kernel writes it too. Contract `canonical` on the scores of score_hopper, bit for bit.
///
/// A bound per row comes from a sample of blocks; one pass of tensor-core products keeps the blocks not below
/// it in lists. A block of threads per row then proves by counting that the lists hold the answer, ties
/// included, and selects. A row they do not prove (a list overflowed, too few kept, a NaN) takes the exact
/// route over its whole scores; such rows are counted, none is answered from less. Where scores are kept and
/// rows are short, every row takes that route from the start: reading them back is then faster than lists.
class FusedSelector {
 public:
  /// blocks[r · k …] of every row; `visible` counts at most `columns`. One request. Where `scores` is not
  /// null it receives what score_hopper writes, row stride `row_stride`. Throws Unsupported for another
  /// capability, more requests, or k outside 1 … 1,024. Everything runs on `stream`; buffers grow on first
  /// use, so warm up before a capture.
  void select(const PagedInputs& inputs, std::int32_t columns, const std::int32_t* visible, std::int32_t k,
              std::int32_t* blocks, float* scores, std::int64_t row_stride, cudaStream_t stream,
              TraceTag tag = {});
  void select(const PagedInputs& inputs, std::int32_t columns, const std::int32_t* visible, std::int32_t k,
              std::int32_t* blocks, cudaStream_t stream) {
    select(inputs, columns, visible, k, blocks, nullptr, 0, stream);
  }

  /// Rows of the last launch that took the exact route; synchronises.
  std::int32_t handed_over_rows(cudaStream_t stream) const;

 private:
  DeviceBuffer<std::uint16_t> samples_;  // [rows, splits, per split] doubled head sums as bfloat16
  DeviceBuffer<float> bounds_;           // [rows, 2]
  DeviceBuffer<uint2> entries_;          // see KeptLists
  DeviceBuffer<std::uint16_t> counts_;
  DeviceBuffer<std::uint32_t> arrived_;     // [row tiles]
  DeviceBuffer<std::int32_t> handed_over_;  // [0]: count, then rows
  DeviceBuffer<float> plane_;               // scores of the rows handed over
};

}  // namespace plumbline::gpu
