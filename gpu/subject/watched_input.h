#pragma once

#include "fixtures/subject.h"
#include "gpu/subject/device_tensors.h"

#include <cstddef>

namespace plumbline::gpu {

/// Bytes of all ones: NaN in every storage type, and no kernel's result.
inline DeviceBuffer<std::byte> all_ones(std::int64_t bytes) {
  DeviceBuffer<std::byte> buffer(bytes);
  if (bytes > 0) PLUMBLINE_CHECK(cudaMemset(buffer.data(), 0xFF, buffer.bytes()));
  return buffer;
}

/// Runs kernels; what they have no code for is no case of theirs.
template <typename Work>
void serve(const Work& work) {
  try {
    work();
  } catch (const Unsupported& unsupported) {
    throw UnsupportedCase(unsupported.what());
  }
}

/// An input on the device, which has to hold the same bytes afterwards.
class WatchedInput {
 public:
  explicit WatchedInput(const TensorView& view)
      : device_(uploaded(view)), before_(downloaded(device_.data(), DType::uint8, {device_.size()})) {}
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(device_.data());
  }
  void require_unchanged() const {
    if (downloaded(device_.data(), DType::uint8, {device_.size()}).bytes != before_.bytes)
      throw CudaError("a kernel wrote to its inputs");
  }

 private:
  DeviceBuffer<std::byte> device_;
  Tensor before_;
};

}  // namespace plumbline::gpu
