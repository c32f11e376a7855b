#include "gpu/trace/trace_buffer.h"

#include <memory>

namespace plumbline::gpu {

TraceBuffer::TraceBuffer() : log_(1) { clear(); }

void TraceBuffer::clear() {
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  PLUMBLINE_CHECK(cudaMemset(log_.data(), 0, log_.bytes()));
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
}

std::vector<dispatch::TagHit> TraceBuffer::read(std::uint64_t nonce) const {
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  const auto log = std::make_unique<TraceLog>();
  PLUMBLINE_CHECK(cudaMemcpy(log.get(), log_.data(), sizeof(TraceLog), cudaMemcpyDeviceToHost));
  std::vector<dispatch::TagHit> all;
  for (int route = 0; route < TraceLog::kRoutes; ++route) {
    for (int kernel = 0; kernel < TraceLog::kKernels; ++kernel) {
      const std::vector<dispatch::TagHit> tags =
          tags_of(log->cells[route][kernel], static_cast<dispatch::Route>(route),
                  static_cast<dispatch::Kernel>(kernel), nonce);
      all.insert(all.end(), tags.begin(), tags.end());
    }
  }
  return all;
}

std::vector<dispatch::TagHit> tags_of(const TraceCell& cell, dispatch::Route route, dispatch::Kernel kernel,
                                      std::uint64_t nonce) {
  std::vector<dispatch::TagHit> tags(cell.hits, dispatch::TagHit{nonce, route, kernel});
  if (!tags.empty()) tags.back().nonce = cell.nonces - (cell.hits - 1) * nonce;
  return tags;
}

}  // namespace plumbline::gpu
