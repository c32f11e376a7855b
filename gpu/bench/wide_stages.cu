#include "gpu/bench/bench_scene.cuh"
#include "gpu/bench/timing.h"
#include "gpu/bench/wide_stages.h"
#include "gpu/select/expand_tokens.h"

namespace plumbline::gpu::bench {
namespace {

constexpr std::int32_t kTopk = 512, kWidth = 4 * kTopk + 3;

__global__ void fill_selection(std::int32_t* blocks, std::int64_t count) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x)
    blocks[i] = static_cast<std::int32_t>(i % kTopk * 31 + i / kTopk % 29);
}

BenchStage time_expansion(int repetitions) {
  constexpr std::int64_t kRows = 65536;
  const BenchScene scene(kRows, 2 * kRows, 204, 0, false, 7);
  DeviceBuffer<std::int32_t> blocks(kRows * kTopk), tokens(kRows * kWidth);
  fill_selection<<<1024, 256>>>(blocks.data(), blocks.size());
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  const Stream stream;
  Stopwatch watch(stream.get());
  const Timing t = watch(
      [&] { expand_tokens(scene.inputs, blocks.data(), kTopk, tokens.data(), stream.get()); }, repetitions);
  return {"",
          "expansion of 65,536 rows",
          "expand.tokens",
          {t.median_ms, t.min_ms, t.max_ms},
          4.0 * kRows * (kTopk + kWidth)};
}

}  // namespace

std::vector<BenchStage> time_wide_stages(int repetitions) { return {time_expansion(repetitions)}; }

}  // namespace plumbline::gpu::bench
