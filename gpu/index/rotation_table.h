#pragma once

#include "gpu/index/indexer_inputs.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/trace/trace_tag.h"

#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Cosines and sines of every coordinate below `rows`, stored as the activations are: [rows, 2, pairs]. The
/// angle is the float32 product of coordinate and frequency, its cosine and sine are taken in float64 and
/// rounded to float32, then to storage.
class RotationTable {
 public:
  RotationTable(IndexType type, std::span<const float> inverse_frequencies, std::int64_t rows,
                cudaStream_t stream, const TraceTag& tag = {});
  const void* data() const { return table_.data(); }
  std::int64_t rows() const { return rows_; }

 private:
  DeviceBuffer<float> frequencies_;
  DeviceBuffer<std::byte> table_;
  std::int64_t rows_;
};

}  // namespace plumbline::gpu
