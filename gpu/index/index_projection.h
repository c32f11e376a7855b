#pragma once

#include "gpu/index/indexer_inputs.h"
#include "gpu/runtime/cublas_handle.h"

#include <cstdint>

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// index_qk_proj by cuBLAS: out[t, o] = Σ_i x[t, i] · weight[o, i], accumulated in float32 in the library's
/// order, rounded once to storage (no TF32).
class IndexProjection {
 public:
  /// x [tokens, hidden], weight [outputs, hidden], out [tokens, outputs], all contiguous in `type`.
  void project(IndexType type, const void* x, std::int64_t tokens, std::int64_t hidden, const void* weight,
               std::int64_t outputs, void* out, cudaStream_t stream);

 private:
  CublasHandle cublas_;
};

}  // namespace plumbline::gpu
