#pragma once

#include "gpu/dispatch/attention_call.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/select/paged_inputs.h"
#include "gpu/trace/trace_tag.h"

#include <cstdint>

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Sparse attention of some rows on the device, all tensors contiguous (fixtures/attention_subject.h says
/// what each holds). Kernels read all but `output` and `lse`.
struct AttentionRequest {
  KeyType type = KeyType::kFloat16;  ///< of query, gate and output
  bool float8 = false;               ///< e4m3fn caches; else of `type`
  const void* query = nullptr;       ///< [rows, heads, dim]
  std::int64_t rows = 0;
  std::int32_t heads = 0, kv_heads = 0, dim = 0;
  const void* keys = nullptr;  ///< [pages, page_size, kv_heads, dim]
  const void* values = nullptr;
  std::int64_t pages = 0;
  std::int32_t page_size = 0;
  const std::int32_t* page_table = nullptr;  ///< [requests, table_width]
  std::int32_t requests = 0, table_width = 0;
  const std::int32_t* token_to_request = nullptr;  ///< [rows]
  const std::int32_t* tokens = nullptr;            ///< [rows, selected]
  std::int32_t selected = 0;
  const void* gate = nullptr;  ///< as query; may be null
  float score_scale = 1;       ///< of q·k: softmax scale, k_scale and log2 e
  float value_scale = 1;
  void* output = nullptr;  ///< [rows, heads, dim]
  float* lse = nullptr;    ///< [rows, heads]; may be null

  __host__ __device__ std::int32_t group() const { return heads / kv_heads; }
};

/// What the parts of a row's tokens leave for the merge: sums of e^(score − largest)·value, unnormalised,
/// with the largest score (to the base 2) and the sum of the weights.
struct AttentionParts {
  float* sums = nullptr;      ///< [rows, heads, splits, dim]
  float2* weights = nullptr;  ///< [rows, heads, splits]: largest score, Σ weights
  std::int32_t splits = 1;
  std::int32_t block_n = 16;  ///< a split is whole tiles of so many tokens

  /// First token of a split; that of `splits` is behind the last tile.
  __host__ __device__ std::int64_t first_token(std::int32_t selected, std::int32_t split) const {
    const std::int64_t tiles = (std::int64_t{selected} + block_n - 1) / block_n;
    return tiles * split / splits * block_n;
  }
};

inline constexpr std::int32_t kMostGroup = 16;

/// Split-K sparse attention with a merge by log-sum-exp; a token's place in its split, and the order of every
/// sum, depend on the row's own list and the launch alone. The parts go to buffers kept between calls: one
/// stream at a time.
class SparseAttention {
 public:
  /// Room for the parts of such a call.
  void reserve(const AttentionRequest& request, const dispatch::AttentionCall& call);
  /// Throws Unsupported for shapes without a kernel: dims 64, 128 and 256, groups of at most 16 heads.
  void attend(const AttentionRequest& request, const dispatch::AttentionCall& call, const Trace& trace,
              cudaStream_t stream);
  /// Fills what is kept with NaN.
  void poison_parts(cudaStream_t stream);

 private:
  DeviceBuffer<float> sums_;
  DeviceBuffer<float2> weights_;
};

/// Both kernels write parts where there are several splits, else the result. `stream` waits for nothing.
void attention_tensor(const AttentionRequest& request, const AttentionParts& parts, const TraceTag& tag,
                      cudaStream_t stream);
void attention_portable(const AttentionRequest& request, const AttentionParts& parts, const TraceTag& tag,
                        cudaStream_t stream);
void attention_merge(const AttentionRequest& request, const AttentionParts& parts, const TraceTag& tag,
                     cudaStream_t stream);

}  // namespace plumbline::gpu
