#include "gpu/bench/bench_scene.cuh"
#include "gpu/bench/timing.h"
#include "gpu/bench/wide_stages.h"
#include "gpu/index/index_keys.h"
#include "gpu/index/rotation_table.h"
#include "gpu/select/expand_tokens.h"

#include <cmath>
#include <vector>

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

/// A prefill of 2^20 tokens of one request: its raw keys to a quarter as many compressed ones, both launches.
/// Counted are raw and compressed keys alone. `stride`: elements from row to row; 640 is a projection's.
BenchStage time_compression(int repetitions, const char* name, std::int64_t stride) {
  constexpr std::int64_t kRows = 1 << 20, kBlocks = kRows / 4, kPage = 64, kPages = kBlocks / kPage;
  constexpr std::int32_t kRing = 8;
  const Stream stream;
  std::vector<float> frequencies, gain(kIndexDim, 1.25f);
  for (int pair = 0; pair < 32; ++pair)
    frequencies.push_back(static_cast<float>(std::pow(1e7, -pair / 32.0)));
  const RotationTable rotation(IndexType::kBfloat16, frequencies, kRows, stream.get());
  std::vector<std::int32_t> table, requests(kRows, 0);
  std::vector<std::int64_t> places;
  for (std::int32_t page = 0; page < kPages; ++page) table.push_back(page);
  for (std::int64_t row = 0; row < kRows; ++row) places.push_back(row);
  DeviceBuffer<std::uint16_t> raw(kRows * stride), keys(kBlocks * kIndexDim), ring(kRing * kIndexDim);
  const DeviceBuffer<std::int32_t> page_table = uploaded(table), token_to_request = uploaded(requests);
  const DeviceBuffer<std::int64_t> device_places = uploaded(places);
  const DeviceBuffer<float> device_gain = uploaded(gain);
  fill_vectors<<<4096, 256>>>(raw.data(), raw.size(), 3, true, Values::kNormal, true);
  IndexerParameters indexer;
  indexer.query_gain = indexer.key_gain = device_gain.data();
  indexer.rotation = rotation.data();
  indexer.rotation_rows = rotation.rows();
  IndexStep step;
  step.raw_key = raw.data();
  step.raw_key_stride = stride;
  step.rows = kRows;
  step.token_to_request = token_to_request.data();
  step.places = device_places.data();
  const IndexKeyStore store{keys.data(), kPages,  kPage, page_table.data(), 1, kPages,
                            ring.data(), nullptr, kRing};
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  Stopwatch watch(stream.get());
  const Timing t = watch([&] { append_index_keys(indexer, step, store, stream.get()); }, repetitions);
  return {"", name, "index.keys", {t.median_ms, t.min_ms, t.max_ms}, 2.0 * kIndexDim * (kRows + kBlocks)};
}

}  // namespace

std::vector<BenchStage> time_wide_stages(int repetitions) {
  return {time_expansion(repetitions),
          time_compression(repetitions, "compression of 1,048,576 raw keys", kIndexDim),
          time_compression(repetitions, "compression of 1,048,576 raw keys within their projections", 640)};
}

}  // namespace plumbline::gpu::bench
