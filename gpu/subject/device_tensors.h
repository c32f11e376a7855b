#pragma once

#include "fixtures/subject.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/select/paged_inputs.h"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace plumbline::gpu {

/// The elements of a view in row-major order, on the device.
DeviceBuffer<std::byte> uploaded(const TensorView& view);

/// Overwrites device memory, in place and of the same size.
template <typename T>
void upload(const std::vector<T>& elements, void* data) {
  if (!elements.empty())
    PLUMBLINE_CHECK(cudaMemcpy(data, elements.data(), elements.size() * sizeof(T), cudaMemcpyHostToDevice));
}

/// Fills a result's memory: integers with 0x7F7F7F7F, which is no block, no token and no padding, floats with
/// NaN: what a kernel leaves out is seen.
template <typename T>
void poison(const DeviceBuffer<T>& buffer) {
  constexpr int kByte = std::is_floating_point_v<T> ? 0xFF : 0x7F;
  if (buffer.size() > 0) PLUMBLINE_CHECK(cudaMemset(buffer.data(), kByte, buffer.bytes()));
}

/// Waits until inputs and poison lie on the device: they go by the default stream, which a stream of one's own
/// does not wait for, and a copy may return before its bytes have arrived.
inline void await_inputs() { PLUMBLINE_CHECK(cudaDeviceSynchronize()); }

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

  /// Halves every position and sequence length, or writes them as they were given; the columns stay.
  void shorten(bool shortened);

 private:
  std::vector<std::byte> given_positions_, given_lengths_;
  DeviceBuffer<std::byte> query_, cache_, table_, requests_, positions_, lengths_;
  PagedInputs inputs_;
  std::int32_t columns_ = 0;
};

}  // namespace plumbline::gpu
