#pragma once

#include "fixtures/subject.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/select/paged_inputs.h"

#include <cstdint>
#include <type_traits>

namespace plumbline::gpu {

/// The elements of a view in row-major order, on the device.
DeviceBuffer<std::byte> uploaded(const TensorView& view);

/// Device memory for a result. Integers start as 0x7F7F7F7F, which is no block, no token and no padding;
/// floats as NaN: what a kernel leaves out is seen.
template <typename T>
DeviceBuffer<T> poisoned(std::int64_t count) {
  constexpr int kByte = std::is_floating_point_v<T> ? 0xFF : 0x7F;
  DeviceBuffer<T> buffer(count);
  if (count > 0) PLUMBLINE_CHECK(cudaMemset(buffer.data(), kByte, buffer.bytes()));
  return buffer;
}

/// The elements of a device buffer as a tensor; waits for the device.
Tensor downloaded(const void* data, DType type, Shape shape);

/// A paged call on the device. Throws UnsupportedCase for types and shapes that no kernel here has code for:
/// float16 and bfloat16, 4 heads of 128.
class DevicePagedInputs {
 public:
  explicit DevicePagedInputs(const PagedSelectInputs& inputs);
  const PagedInputs& get() const { return inputs_; }
  /// Complete blocks of the longest request, within the page table's capacity.
  std::int32_t columns() const { return columns_; }

 private:
  DeviceBuffer<std::byte> query_, cache_, table_, requests_, positions_, lengths_;
  PagedInputs inputs_;
  std::int32_t columns_ = 0;
};

}  // namespace plumbline::gpu
