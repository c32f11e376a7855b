#include "gpu/attention/sparse_attention.h"

#include "gpu/runtime/check.h"

#include <limits>
#include <string>

namespace plumbline::gpu {
namespace {

void require_kernel(const AttentionRequest& r, const dispatch::AttentionCall& call) {
  if (r.kv_heads < 1 || r.heads % r.kv_heads != 0 || r.group() > kMostGroup)
    throw Unsupported("attention: " + std::to_string(r.heads) + " heads over " + std::to_string(r.kv_heads) +
                      ": groups of at most " + std::to_string(kMostGroup) + " have kernels");
  if (r.dim != 64 && r.dim != 128 && r.dim != 256)
    throw Unsupported("attention: head dims of 64, 128 and 256 have kernels, not " + std::to_string(r.dim));
  if (r.pages * r.page_size > std::numeric_limits<std::int32_t>::max())
    throw Unsupported("attention: more cached tokens than a 32-bit slot numbers");
  if (r.heads > 65535) throw Unsupported("attention: more heads than a grid takes");
  if (!call.plan.decision.supported())
    throw Unsupported("attention: no kernel for the planned " +
                      std::string(dispatch::name_of(call.plan.decision.route)));
}

}  // namespace

void SparseAttention::reserve(const AttentionRequest& r, const dispatch::AttentionCall& call) {
  if (call.plan.launch.splits <= 1) return;
  const std::int64_t count = r.rows * r.heads * call.plan.launch.splits;
  sums_.reserve(count * r.dim);
  weights_.reserve(count);
}

void SparseAttention::attend(const AttentionRequest& r, const dispatch::AttentionCall& call,
                             const Trace& trace, cudaStream_t stream) {
  require_kernel(r, call);
  if (r.rows == 0) return;
  AttentionParts parts;
  parts.splits = static_cast<std::int32_t>(call.plan.launch.splits);
  parts.block_n = static_cast<std::int32_t>(call.plan.launch.block_n);
  if (parts.splits > 1) {
    reserve(r, call);
    parts.sums = sums_.data();
    parts.weights = weights_.data();
  }
  const TraceTag tag = trace.of(call.plan.decision.route);
  call.kernel == dispatch::Kernel::attention_tensor ? attention_tensor(r, parts, tag, stream)
                                                    : attention_portable(r, parts, tag, stream);
  if (parts.splits > 1) attention_merge(r, parts, tag, stream);
}

void SparseAttention::poison_parts(cudaStream_t stream) {
  if (sums_.size() > 0) PLUMBLINE_CHECK(cudaMemsetAsync(sums_.data(), 0xFF, sums_.bytes(), stream));
  if (weights_.size() > 0) PLUMBLINE_CHECK(cudaMemsetAsync(weights_.data(), 0xFF, weights_.bytes(), stream));
}

}  // namespace plumbline::gpu
