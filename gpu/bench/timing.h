#pragma once

#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/graph.h"
#include "gpu/runtime/stream.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace plumbline::gpu::bench {

struct Timing {
  double median_ms = 0, min_ms = 0, max_ms = 0;
};

/// Times device work with events: `warm_ups` unmeasured calls, then `repeats` calls, each after a write over
/// `flush` (more than twice the L2) where one is given.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream, std::int64_t flush_bytes = std::int64_t{256} << 20)
      : stream_(stream), flush_(flush_bytes) {}

  Timing operator()(const std::function<void()>& work, int repeats = 20, int warm_ups = 3) {
    std::vector<double> times;
    for (int i = 0; i < warm_ups + repeats; ++i) {
      if (flush_.size() > 0) PLUMBLINE_CHECK(cudaMemsetAsync(flush_.data(), i, flush_.bytes(), stream_));
      start_.record(stream_);
      work();
      stop_.record(stream_);
      stop_.synchronize();
      if (i >= warm_ups) times.push_back(stop_.milliseconds_since(start_));
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times.front(), times.back()};
  }

 private:
  cudaStream_t stream_;
  DeviceBuffer<std::byte> flush_;
  Event start_, stop_;
};

}  // namespace plumbline::gpu::bench
