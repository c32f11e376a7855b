#include "gpu/trace/trace_buffer.h"

#include <algorithm>

namespace plumbline::gpu {

TraceBuffer::TraceBuffer(std::uint32_t capacity) : records_(capacity), log_(1) { clear(); }

void TraceBuffer::clear() {
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  const TraceLog empty{0, static_cast<std::uint32_t>(records_.size()), records_.data()};
  PLUMBLINE_CHECK(cudaMemcpy(log_.data(), &empty, sizeof empty, cudaMemcpyHostToDevice));
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
}

TraceBuffer::Contents TraceBuffer::read() const {
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  TraceLog log{};
  PLUMBLINE_CHECK(cudaMemcpy(&log, log_.data(), sizeof log, cudaMemcpyDeviceToHost));
  const std::uint32_t kept = std::min(log.taken, log.capacity);
  Contents contents;
  contents.lost = std::int64_t{log.taken} - kept;
  contents.records.resize(kept);
  if (kept > 0)
    PLUMBLINE_CHECK(cudaMemcpy(contents.records.data(), records_.data(), kept * sizeof(TraceRecord),
                               cudaMemcpyDeviceToHost));
  return contents;
}

}  // namespace plumbline::gpu
