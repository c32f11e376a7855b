#pragma once

#include "gpu/runtime/check.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace plumbline::gpu {

/// Device memory for `count` elements, owned; cudaMalloc's alignment (256 bytes). Contents start undefined.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::int64_t count) : count_(count) {
    if (count > 0) PLUMBLINE_CHECK(cudaMalloc(&data_, static_cast<std::size_t>(count) * sizeof(T)));
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) (void)cudaFree(data_);
  }

  T* data() const { return static_cast<T*>(data_); }
  std::int64_t size() const { return count_; }
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }

  /// Makes room for `count` elements; contents are lost when it has to grow.
  void reserve(std::int64_t count) {
    if (count > count_) *this = DeviceBuffer(count);
  }

 private:
  void swap(DeviceBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }
  void* data_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace plumbline::gpu
