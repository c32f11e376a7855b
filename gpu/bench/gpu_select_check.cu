// Judges and times the selection kernels on the current device:
//   gpu_select_check OUT.json [--rows N] [--fused-rows N] [--no-times] [--reduced] [--only topk|scores]
// Exit 0: every check passed. Inputs are made on the device from a seed; see device_data.cuh.

#include "gpu/bench/ceilings.cuh"
#include "gpu/bench/check_topk.h"
#include "gpu/bench/device_facts.h"
#include "gpu/bench/report.h"
#include "gpu/runtime/cublas_handle.h"

#include <cstdio>
#include <cstring>
#include <string>

namespace plumbline::gpu::bench {
namespace {

void time_ceilings(Report& report) {
  const Ceilings ceilings = measure_ceilings();
  report.time("ceiling: fp16 product 8192^3", ceilings.product,
              "\"tflop_per_s\": " + std::to_string(ceilings.tflop_per_s()));
  report.time("ceiling: device copy 4 GiB", ceilings.copy,
              "\"gb_per_s\": " + std::to_string(ceilings.gb_per_s()));
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
