#include "gpu/runtime/check.h"

namespace plumbline::gpu {
namespace {

std::string device_name() {
  int device = -1;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    return "no usable device";
  }
  return "device " + std::to_string(device) + " (" + properties.name + ", capability " +
         std::to_string(properties.major) + "." + std::to_string(properties.minor) + ")";
}

[[noreturn]] void fail(const std::string& reason, const char* call, const char* file, int line) {
  throw CudaError(std::string(call) + " failed at " + file + ":" + std::to_string(line) + " on " +
                  device_name() + ": " + reason);
}

}  // namespace

void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  fail(std::string(cudaGetErrorName(status)) + ", " + cudaGetErrorString(status), call, file, line);
}

void check(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(cublasGetStatusString(status), call, file, line);
}

void check_launch(const char* kernel, const char* file, int line) {
  const cudaError_t status = cudaGetLastError();
  if (status == cudaErrorNoKernelImageForDevice) {
    fail("the build has no code for this capability (PLUMBLINE_CUDA_ARCHITECTURES)", kernel, file, line);
  }
  check(status, kernel, file, line);
}

}  // namespace plumbline::gpu
