#pragma once

#include <stdexcept>
#include <string>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// A CUDA or cuBLAS call that failed. what() is one line: the call's text, file:line, the device, the reason.
class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A request the kernels have no code for (capability, shape, type): the caller may take another route.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void check(cudaError_t status, const char* call, const char* file, int line);
void check(cublasStatus_t status, const char* call, const char* file, int line);

/// Reports a failed launch by the kernel's name.
void check_launch(const char* kernel, const char* file, int line);

}  // namespace plumbline::gpu

#define PLUMBLINE_CHECK(call) ::plumbline::gpu::check((call), #call, __FILE__, __LINE__)
#define PLUMBLINE_CHECK_LAUNCH(kernel) ::plumbline::gpu::check_launch(#kernel, __FILE__, __LINE__)
