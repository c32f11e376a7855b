// Judges and times the selection kernels on the current device:
//   gpu_select_check OUT.json [--rows N] [--fused-rows N] [--no-times] [--reduced] [--only topk|scores]
// Exit 0: every check passed. Inputs are made on the device from a seed; see device_data.cuh.

#include "gpu/bench/check_topk.h"
#include "gpu/bench/device_data.cuh"
#include "gpu/bench/device_facts.h"
#include "gpu/runtime/cublas_handle.h"

#include <cstdio>
#include <cstring>
#include <string>

#include <cuda_fp16.h>

namespace plumbline::gpu::bench {
namespace {

/// The two ceilings of this run: a large half-precision product and a large device copy.
void time_ceilings(Report& report) {
  const Stream stream;
  Stopwatch watch(stream.get(), 0);
  constexpr std::int64_t kSide = 8192;
  DeviceBuffer<std::uint16_t> a(kSide * kSide), b(kSide * kSide), c(kSide * kSide);
  fill_half_normal<<<2048, 256>>>(a.data(), a.size(), 1, 1.0f);
  fill_half_normal<<<2048, 256>>>(b.data(), b.size(), 2, 1.0f);
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  CublasHandle cublas;
  const float one = 1, zero = 0;
  const Timing product = watch([&] {
    PLUMBLINE_CHECK(cublasGemmEx(cublas.on(stream.get()), CUBLAS_OP_T, CUBLAS_OP_N, kSide, kSide, kSide, &one,
                                 a.data(), CUDA_R_16F, kSide, b.data(), CUDA_R_16F, kSide, &zero, c.data(),
                                 CUDA_R_16F, kSide, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  });
  report.time("ceiling: fp16 product 8192^3", product,
              "\"tflop_per_s\": " + std::to_string(2.0 * kSide * kSide * kSide / product.median_ms / 1e9));
  constexpr std::int64_t kCopy = std::int64_t{4} << 30;
  DeviceBuffer<std::byte> from(kCopy), to(kCopy);
  PLUMBLINE_CHECK(cudaMemset(from.data(), 0x5A, from.bytes()));
  const Timing copy = watch([&] {
    PLUMBLINE_CHECK(
        cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream.get()));
  });
  report.time("ceiling: device copy 4 GiB", copy,
              "\"gb_per_s\": " + std::to_string(2.0 * kCopy / copy.median_ms / 1e6));
}

int run(int argc, char** argv) {
  if (argc < 2) {
    std::printf("gpu_select_check OUT.json [--rows N] [--no-times] [--reduced] [--only topk|scores]\n");
    return 2;
  }
  CheckOptions options;
  std::string only;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--rows" && i + 1 < argc)
      options.random_rows = std::stoll(argv[++i]);
    else if (word == "--fused-rows" && i + 1 < argc)
      options.fused_rows = std::stoll(argv[++i]);
    else if (word == "--only" && i + 1 < argc)
      only = argv[++i];
    else if (word == "--no-times")
      options.times = false;
    else if (word == "--reduced")
      options.reduced = true;
    else {
      std::printf("unknown option %s\n", word.c_str());
      return 2;
    }
  }
  Report report(argv[1]);
  record_device(report);
  report.fact("seed", static_cast<double>(options.seed));
  if (options.times) time_ceilings(report);
  if (only.empty() || only == "topk") check_topk(report, options);
  if (only.empty() || only == "scores") check_scores(report, options);
  std::printf("%zu checks, %d failed\n", report.checks(), report.failed());
  return report.failed() == 0 && report.checks() > 0 ? 0 : 1;
}

}  // namespace
}  // namespace plumbline::gpu::bench

int main(int argc, char** argv) {
  try {
    return plumbline::gpu::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::printf("ERROR %s\n", error.what());
    return 1;
  }
}
