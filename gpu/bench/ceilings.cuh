#pragma once

#include "gpu/bench/device_data.cuh"
#include "gpu/bench/timing.h"
#include "gpu/runtime/cublas_handle.h"

#include <cuda_fp16.h>

namespace plumbline::gpu::bench {

/// What the device gives at best: a large half-precision product and a large device copy.
struct Ceilings {
  static constexpr std::int64_t kSide = 8192, kCopy = std::int64_t{4} << 30;
  Timing product, copy;
  double tflop_per_s() const { return 2.0 * kSide * kSide * kSide / product.median_ms / 1e9; }
  /// Bytes read and written.
  double gb_per_s() const { return 2.0 * kCopy / copy.median_ms / 1e6; }
};

[[maybe_unused]] static Ceilings measure_ceilings() {
  const Stream stream;
  Stopwatch watch(stream.get(), 0);
  constexpr std::int64_t kSide = Ceilings::kSide;
  DeviceBuffer<std::uint16_t> a(kSide * kSide), b(kSide * kSide), c(kSide * kSide);
  fill_half_normal<<<2048, 256>>>(a.data(), a.size(), 1, 1.0f);
  fill_half_normal<<<2048, 256>>>(b.data(), b.size(), 2, 1.0f);
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  CublasHandle cublas;
  const float one = 1, zero = 0;
  Ceilings ceilings;
  ceilings.product = watch([&] {
    PLUMBLINE_CHECK(cublasGemmEx(cublas.on(stream.get()), CUBLAS_OP_T, CUBLAS_OP_N, kSide, kSide, kSide, &one,
                                 a.data(), CUDA_R_16F, kSide, b.data(), CUDA_R_16F, kSide, &zero, c.data(),
                                 CUDA_R_16F, kSide, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  });
  DeviceBuffer<std::byte> from(Ceilings::kCopy), to(Ceilings::kCopy);
  PLUMBLINE_CHECK(cudaMemset(from.data(), 0x5A, from.bytes()));
  ceilings.copy = watch([&] {
    PLUMBLINE_CHECK(
        cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream.get()));
  });
  return ceilings;
}

/// One pass over `vectors` vectors; nothing is kept of them.
[[maybe_unused]] static __global__ void read_once(const float4* data, std::int64_t vectors, float* sink) {
  float sum = 0;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  for (; i + 3 * step < vectors; i += 4 * step) {
    float4 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = __ldcs(data + i + u * step);
#pragma unroll
    for (int u = 0; u < 4; ++u) sum += v[u].x + v[u].y + v[u].z + v[u].w;
  }
  for (; i < vectors; i += step) sum += data[i].x + data[i].y + data[i].z + data[i].w;
  if (sum == 1.2345e-30f) *sink = sum;
}

}  // namespace plumbline::gpu::bench
