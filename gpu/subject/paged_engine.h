#pragma once

#include "gpu/select/select_paged_tokens.h"
#include "gpu/subject/device_tensors.h"
#include "gpu/trace/trace_tag.h"

#include <cstdint>
#include <memory>

namespace plumbline::gpu {

/// Where a paged call leaves its results, and its visible counts on the way.
struct PagedTargets {
  std::int32_t* visible;  ///< [rows]
  std::int32_t* tokens;   ///< [rows, k·ratio + ratio − 1]
  std::int32_t* blocks;   ///< [rows, k]
  float* scores;          ///< [rows, columns]; null for an engine that writes none
};

/// The kernels of a route from the page table to the tokens, with the buffers they keep between calls: one
/// stream at a time.
class PagedEngine {
 public:
  virtual ~PagedEngine() = default;
  virtual bool writes_scores() const = 0;
  virtual void launch(const DevicePagedInputs& inputs, std::int32_t k, const PagedTargets& targets,
                      const Trace& trace, cudaStream_t stream) = 0;
  /// Elements of a product that the library left unwritten, so far; the device has come to rest.
  virtual unsigned long long unwritten() const { return 0; }
};

/// A scorer and a top-k.
std::unique_ptr<PagedEngine> scored_engine(ScoreRoute score, TopkRoute topk);
/// select.fused, or with its scores kept select.two_kernel.
std::unique_ptr<PagedEngine> fused_engine(bool keeps_scores);

}  // namespace plumbline::gpu
