#pragma once

#include "gpu/runtime/device_buffer.h"

#include <cstdint>
#include <vector>

namespace plumbline::gpu::bench {

/// Device memory that holds the values.
template <typename T>
DeviceBuffer<T> uploaded(const std::vector<T>& values) {
  DeviceBuffer<T> buffer(static_cast<std::int64_t>(values.size()));
  PLUMBLINE_CHECK(cudaMemcpy(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice));
  return buffer;
}

}  // namespace plumbline::gpu::bench
