#pragma once

#include "gpu/bench/report.h"
#include "gpu/runtime/cublas_handle.h"

#include <fstream>
#include <string>

namespace plumbline::gpu::bench {

/// What a report says of the device, its driver and the libraries.
inline void record_device(Report& report) {
  int device = 0, driver = 0, runtime = 0;
  cudaDeviceProp properties{};
  PLUMBLINE_CHECK(cudaGetDevice(&device));
  PLUMBLINE_CHECK(cudaGetDeviceProperties(&properties, device));
  PLUMBLINE_CHECK(cudaDriverGetVersion(&driver));
  PLUMBLINE_CHECK(cudaRuntimeGetVersion(&runtime));
  report.fact("device", properties.name);
  report.fact("capability", std::to_string(properties.major) + "." + std::to_string(properties.minor));
  report.fact("multiprocessors", properties.multiProcessorCount);
  report.fact("l2_bytes", properties.l2CacheSize);
  report.fact("cuda_driver_api", driver);
  report.fact("cuda_runtime", runtime);
  int cublas_version = 0;
  CublasHandle cublas;
  PLUMBLINE_CHECK(cublasGetVersion(cublas.on(nullptr), &cublas_version));
  report.fact("cublas", cublas_version);
  std::string driver_line;
  std::getline(std::ifstream("/proc/driver/nvidia/version"), driver_line);
  report.fact("driver", driver_line);
}

}  // namespace plumbline::gpu::bench
