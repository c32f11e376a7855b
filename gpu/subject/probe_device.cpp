#include "gpu/runtime/capability.h"
#include "gpu/runtime/cublas_handle.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/select/visible_blocks.h"
#include "gpu/subject/cuda_subject.h"

namespace plumbline::gpu {
namespace {

// A device the build has no code for fails at its first launch, not before.
void launch_once() {
  const DeviceBuffer<std::int32_t> request(1), position(1), length(1), visible(1);
  PLUMBLINE_CHECK(cudaMemset(request.data(), 0, request.bytes()));
  PLUMBLINE_CHECK(cudaMemset(position.data(), 0, position.bytes()));
  PLUMBLINE_CHECK(cudaMemset(length.data(), 0, length.bytes()));
  PagedInputs inputs;
  inputs.rows = inputs.requests = 1;
  inputs.token_to_request = request.data();
  inputs.positions = position.data();
  inputs.positions_are_int32 = true;
  inputs.sequence_lengths = length.data();
  count_visible_blocks(inputs, 0, visible.data(), nullptr);
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
}

}  // namespace

DeviceProbe probe_device() {
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess || devices == 0)
    return {std::nullopt, std::string("no CUDA device: ") +
                              (status != cudaSuccess ? cudaGetErrorString(status) : "the driver lists none")};
  try {
    launch_once();
    int device = 0, driver = 0, runtime = 0, cublas = 0;
    cudaDeviceProp properties{};
    PLUMBLINE_CHECK(cudaGetDevice(&device));
    PLUMBLINE_CHECK(cudaGetDeviceProperties(&properties, device));
    PLUMBLINE_CHECK(cudaDriverGetVersion(&driver));
    PLUMBLINE_CHECK(cudaRuntimeGetVersion(&runtime));
    PLUMBLINE_CHECK(cublasGetVersion(CublasHandle().on(nullptr), &cublas));
    return {DeviceFacts{properties.name,
                        std::to_string(properties.major) + "." + std::to_string(properties.minor),
                        "CUDA driver API " + std::to_string(driver) + ", runtime " + std::to_string(runtime) +
                            ", cuBLAS " + std::to_string(cublas)},
            {}};
  } catch (const std::runtime_error& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace plumbline::gpu
