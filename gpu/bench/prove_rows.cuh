#pragma once

#include "gpu/bench/device_judge.cuh"
#include "gpu/runtime/capability.h"
#include "gpu/runtime/device_buffer.h"

namespace plumbline::gpu::bench {

/// The O(n) proof of every row's claim on the device (judge_rows); waits for it.
[[maybe_unused]] static JudgeCounts prove_rows(const float* scores, std::int64_t row_stride,
                                               const std::int32_t* visible, std::int64_t rows,
                                               std::int32_t columns, std::int32_t k,
                                               const std::int32_t* blocks, bool any_order = false) {
  DeviceBuffer<JudgeCounts> counts(1);
  JudgeCounts host{};
  host.first_bad_row = ~0ull;
  PLUMBLINE_CHECK(cudaMemcpy(counts.data(), &host, sizeof host, cudaMemcpyHostToDevice));
  const int bytes = (columns + 31) / 32 * 4;
  allow_shared_memory(reinterpret_cast<const void*>(judge_rows), bytes, "judge_rows");
  judge_rows<<<static_cast<unsigned>(rows), 512, bytes>>>(scores, row_stride, visible, columns, k, blocks,
                                                          any_order, counts.data());
  PLUMBLINE_CHECK_LAUNCH(judge_rows);
  PLUMBLINE_CHECK(cudaMemcpy(&host, counts.data(), sizeof host, cudaMemcpyDeviceToHost));
  return host;
}

}  // namespace plumbline::gpu::bench
