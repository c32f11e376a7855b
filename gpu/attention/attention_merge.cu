#include "gpu/attention/attention_rows.cuh"
#include "gpu/trace/trace_tag.cuh"

namespace plumbline::gpu {
namespace {

/// One block per row and head, one thread per column; parts in ascending order.
template <KeyType kType>
__global__ void attention_merge_kernel(AttentionRequest r, AttentionParts parts, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::attention_merge);
  const std::int64_t head = static_cast<std::int64_t>(blockIdx.x) * r.heads + blockIdx.y;
  const float2* weights = parts.weights + head * parts.splits;
  float largest = -CUDART_INF_F;
  for (int s = 0; s < parts.splits; ++s) largest = fmaxf(largest, weights[s].x);
  float sum = 0, weight = 0;
  for (int s = 0; s < parts.splits; ++s) {
    const float share = weight_of(weights[s].x, largest);
    weight = fmaf(share, weights[s].y, weight);
    sum = fmaf(share, parts.sums[(head * parts.splits + s) * r.dim + threadIdx.x], sum);
  }
  write_result<kType>(r, head * r.dim + threadIdx.x, sum, weight);
  if (r.lse != nullptr && threadIdx.x == 0) r.lse[head] = natural_lse(largest, weight);
}

}  // namespace

void attention_merge(const AttentionRequest& r, const AttentionParts& parts, const TraceTag& tag,
                     cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(r.rows), static_cast<unsigned>(r.heads));
  const auto threads = static_cast<unsigned>(r.dim);
  if (r.type == KeyType::kFloat16)
    attention_merge_kernel<KeyType::kFloat16><<<grid, threads, 0, stream>>>(r, parts, tag);
  else
    attention_merge_kernel<KeyType::kBfloat16><<<grid, threads, 0, stream>>>(r, parts, tag);
  PLUMBLINE_CHECK(cudaGetLastError());
}

}  // namespace plumbline::gpu
