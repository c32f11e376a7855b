#include "gpu/runtime/capability.h"

#include "gpu/runtime/check.h"

#include <string>

namespace plumbline::gpu {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  PLUMBLINE_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

}  // namespace

DeviceLimits current_device_limits() {
  DeviceLimits limits;
  PLUMBLINE_CHECK(cudaGetDevice(&limits.device));
  limits.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, limits.device) +
                      attribute(cudaDevAttrComputeCapabilityMinor, limits.device);
  limits.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, limits.device);
  limits.shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, limits.device);
  limits.l2_bytes = attribute(cudaDevAttrL2CacheSize, limits.device);
  return limits;
}

void allow_shared_memory(const void* kernel, int bytes, const char* name) {
  int device = 0;
  PLUMBLINE_CHECK(cudaGetDevice(&device));
  const int available = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (bytes > available) {
    throw Unsupported(std::string(name) + " needs " + std::to_string(bytes) +
                      " bytes of shared memory per block, the device has " + std::to_string(available));
  }
  PLUMBLINE_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

}  // namespace plumbline::gpu
