#pragma once

#include "gpu/dispatch/plan.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/select/paged_inputs.h"
#include "gpu/select/score_cublas.h"
#include "gpu/trace/trace_tag.h"

#include <cstdint>

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Where a planned selection writes. `blocks` [rows, k] and `scores` [rows, score_stride] may be null.
struct PlannedOutputs {
  std::int32_t* tokens = nullptr;  ///< [rows, k·ratio + ratio − 1]
  std::int32_t* blocks = nullptr;
  float* scores = nullptr;        ///< defined below a row's visible count
  std::int64_t score_stride = 0;  ///< at least score_columns()
};

/// Which stages run; one left out finds what it would have written in the outputs, all of them given then.
struct PlannedStages {
  bool score = true, topk = true, expand = true;
  bool poison_products = false;  ///< see CublasScorer
  Trace trace = {};              ///< where the kernels leave their tags
};

/// Runs the selection of a plan on device pointers as the plan cuts it: its segments, their row chunks and
/// column tiles, every stage by its planned route. This is how score.cublas_split runs: a long request's
/// segment is scored from its own gathered keys, short ones together straight from the page table.
class PlannedSelector {
 public:
  /// Columns of the score rows the plan's stages write, at least 1.
  static std::int32_t score_columns(const dispatch::Plan& plan);

  /// `plan` was made for `inputs` (rows, requests, capacity, block top-k `k`), whose token_to_request agrees
  /// with the query starts of the plan's batch, but for padded rows. Throws Unsupported for a plan with a
  /// stage that has no kernel here. Everything runs on `stream`; buffers grow on first use, so warm up before
  /// a capture.
  void select(const dispatch::Plan& plan, const PagedInputs& inputs, std::int32_t k,
              const PlannedOutputs& outputs, const PlannedStages& stages, cudaStream_t stream);

  unsigned long long poison_survivors(cudaStream_t stream) const { return cublas_.poison_survivors(stream); }

 private:
  CublasScorer cublas_;
  DeviceBuffer<float> scores_;
  DeviceBuffer<std::int32_t> visible_, blocks_;
};

}  // namespace plumbline::gpu
