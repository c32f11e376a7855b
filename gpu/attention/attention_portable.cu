#include "gpu/attention/attention_kinds.h"
#include "gpu/attention/attention_rows.cuh"
#include "gpu/trace/trace_tag.cuh"

namespace plumbline::gpu {
namespace {

constexpr int kThreads = 128, kWarps = kThreads / 32, kTile = 32;

/// Element `d` of a cached vector that begins at element `at`.
template <KeyType kType, bool kFloat8>
__device__ __forceinline__ float cached(const void* cache, std::int64_t at) {
  if constexpr (kFloat8) {
    return widen_e4m3(static_cast<const unsigned char*>(cache)[at]);
  } else {
    using Number = StoredNumber<kType>;
    return Number::widen(static_cast<const typename Number::Type*>(cache)[at]);
  }
}

/// One block per row, key/value head and split. A token's score is a chain of multiply-adds per lane and a
/// tree over the lanes; a column's sum is a chain over the tokens.
template <KeyType kType, int kDim, bool kFloat8>
__global__ void __launch_bounds__(kThreads)
    attention_portable_kernel(AttentionRequest r, AttentionParts parts, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::attention_portable);
  using Number = StoredNumber<kType>;
  constexpr int kColumns = (kDim + kThreads - 1) / kThreads;
  __shared__ float query[kMostGroup][kDim], scores[kMostGroup][kTile];
  __shared__ float largest[kMostGroup], weight[kMostGroup], shrink[kMostGroup];
  __shared__ std::int64_t slots[kTile];
  const std::int64_t row = blockIdx.x;
  const int kv_head = static_cast<int>(blockIdx.y), split = static_cast<int>(blockIdx.z), group = r.group();
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const std::int64_t first_head = row * r.heads + static_cast<std::int64_t>(kv_head) * group;
  const auto* q = static_cast<const typename Number::Type*>(r.query) + first_head * kDim;
  for (int i = thread; i < group * kDim; i += kThreads) query[i / kDim][i % kDim] = Number::widen(q[i]);
  if (thread < kMostGroup) largest[thread] = -CUDART_INF_F, weight[thread] = 0;
  const std::int32_t request = r.token_to_request[row];
  float sum[kMostGroup][kColumns] = {};

  const std::int64_t last = parts.first_token(r.selected, split + 1);
  for (std::int64_t first = parts.first_token(r.selected, split); first < last; first += kTile) {
    __syncthreads();
    if (thread < kTile) slots[thread] = first + thread < last ? slot_of(r, row, request, first + thread) : -1;
    __syncthreads();
    for (int t = warp * (kTile / kWarps); t < (warp + 1) * (kTile / kWarps); ++t) {
      const std::int64_t slot = slots[t];
      if (slot < 0) {
        if (lane < group) scores[lane][t] = -CUDART_INF_F;
        continue;
      }
      const std::int64_t at = (slot * r.kv_heads + kv_head) * kDim;
      float key[kDim / 32];
#pragma unroll
      for (int j = 0; j < kDim / 32; ++j) key[j] = cached<kType, kFloat8>(r.keys, at + j * 32 + lane);
      for (int h = 0; h < group; ++h) {
        float dot = 0;
#pragma unroll
        for (int j = 0; j < kDim / 32; ++j) dot = fmaf(query[h][j * 32 + lane], key[j], dot);
        for (int distance = 16; distance > 0; distance /= 2) dot += __shfl_xor_sync(~0u, dot, distance);
        if (lane == 0) scores[h][t] = dot * r.score_scale;
      }
    }
    __syncthreads();
    if (thread < group) {
      float now = largest[thread];
      for (int t = 0; t < kTile; ++t) now = fmaxf(now, scores[thread][t]);
      shrink[thread] = weight_of(largest[thread], now);
      largest[thread] = now;
      float total = weight[thread] * shrink[thread];
      for (int t = 0; t < kTile; ++t) {
        scores[thread][t] = weight_of(scores[thread][t], now);
        total += scores[thread][t];
      }
      weight[thread] = total;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const int column = thread + j * kThreads;
      if (column >= kDim) break;
#pragma unroll
      for (int h = 0; h < kMostGroup; ++h)
        if (h < group) sum[h][j] *= shrink[h];
      for (int t = 0; t < kTile; ++t) {
        if (slots[t] < 0) continue;
        const float value =
            cached<kType, kFloat8>(r.values, (slots[t] * r.kv_heads + kv_head) * kDim + column);
#pragma unroll
        for (int h = 0; h < kMostGroup; ++h)
          if (h < group) sum[h][j] = fmaf(scores[h][t], value, sum[h][j]);
      }
    }
  }
  __syncthreads();

#pragma unroll
  for (int h = 0; h < kMostGroup; ++h) {
    if (h >= group) break;
    const std::int64_t head = first_head + h, part = head * parts.splits + split;
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const int column = thread + j * kThreads;
      if (column >= kDim) break;
      if (parts.splits > 1)
        parts.sums[part * kDim + column] = sum[h][j];
      else
        write_result<kType>(r, head * kDim + column, sum[h][j], weight[h]);
    }
    if (thread != 0) continue;
    if (parts.splits > 1)
      parts.weights[part] = make_float2(largest[h], weight[h]);
    else if (r.lse != nullptr)
      r.lse[head] = natural_lse(largest[h], weight[h]);
  }
}

template <KeyType kType, int kDim, bool kFloat8>
void launch(const AttentionRequest& r, const AttentionParts& parts, const TraceTag& tag,
            cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(r.rows), static_cast<unsigned>(r.kv_heads),
                  static_cast<unsigned>(parts.splits));
  attention_portable_kernel<kType, kDim, kFloat8><<<grid, kThreads, 0, stream>>>(r, parts, tag);
  PLUMBLINE_CHECK(cudaGetLastError());
}

}  // namespace

void attention_portable(const AttentionRequest& r, const AttentionParts& parts, const TraceTag& tag,
                        cudaStream_t stream) {
  for_kind(r, [&]<KeyType kType, int kDim, bool kFloat8>() {
    launch<kType, kDim, kFloat8>(r, parts, tag, stream);
  });
}

}  // namespace plumbline::gpu
