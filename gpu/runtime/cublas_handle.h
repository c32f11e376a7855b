#pragma once

#include "gpu/runtime/check.h"
#include "gpu/runtime/device_buffer.h"

namespace plumbline::gpu {

/// A cuBLAS handle with a workspace of its own and a fixed size: the library's choice of kernel, and so the
/// bits of a product, do not depend on what other code of the process allocated.
class CublasHandle {
 public:
  CublasHandle() : workspace_(kWorkspaceBytes) {
    PLUMBLINE_CHECK(cublasCreate(&handle_));
    PLUMBLINE_CHECK(cublasSetMathMode(handle_, CUBLAS_DEFAULT_MATH));
  }
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;
  ~CublasHandle() { (void)cublasDestroy(handle_); }

  /// The handle, bound to `stream` (binding resets the workspace, so it is set again).
  cublasHandle_t on(cudaStream_t stream) {
    PLUMBLINE_CHECK(cublasSetStream(handle_, stream));
    PLUMBLINE_CHECK(cublasSetWorkspace(handle_, workspace_.data(), workspace_.bytes()));
    return handle_;
  }

 private:
  static constexpr std::int64_t kWorkspaceBytes = std::int64_t{32} << 20;
  DeviceBuffer<std::byte> workspace_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace plumbline::gpu
