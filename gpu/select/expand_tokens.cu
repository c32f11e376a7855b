#include "gpu/runtime/check.h"
#include "gpu/select/expand_tokens.h"
#include "gpu/select/paged_inputs.cuh"

namespace plumbline::gpu {
namespace {

constexpr int kThreads = 256, kInFlight = 9;

/// One row per block. The blocks are loaded before what decides about them is known, several at once. kRatio
/// 0 reads the ratio from the inputs.
template <int kRatio>
__global__ void __launch_bounds__(kThreads, kRatio > 0 ? 8 : 4)
    expand_tokens_kernel(PagedInputs inputs, const std::int32_t* __restrict__ blocks, std::int32_t k,
                         std::int32_t* __restrict__ tokens) {
  const std::int64_t row = blockIdx.x;
  const std::int32_t ratio = kRatio > 0 ? kRatio : inputs.compress_ratio;
  const std::int32_t width = k * ratio + ratio - 1;
  const std::int64_t position = query_position(inputs, row);
  const std::int32_t request = inputs.token_to_request[row];
  const bool live = request >= 0 && request < inputs.requests;
  const std::int32_t length = live ? max(inputs.sequence_lengths[request], 0) : 0;
  const std::int64_t end = live ? max(position + 1, std::int64_t{0}) : 0;
  const std::int64_t tail_start = end / ratio * ratio;
  const std::int32_t expanded =
      static_cast<std::int32_t>(min(min(end, std::int64_t{length}) / ratio, std::int64_t{k})) * ratio;
  const std::int32_t filled = expanded + static_cast<std::int32_t>(end - tail_start);
  const std::int32_t* selected = blocks + row * k;
  std::int32_t* out = tokens + row * width;
  const auto into_line = static_cast<std::int32_t>(reinterpret_cast<std::uintptr_t>(out) / 4 % 32);
  for (std::int32_t first = static_cast<std::int32_t>(threadIdx.x) - into_line; first < width;
       first += kThreads * kInFlight) {
    std::int32_t block[kInFlight];
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      const std::int32_t slot = (first + u * kThreads) / ratio;
      block[u] = slot >= 0 && slot < k ? selected[slot] : -1;
    }
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      const std::int32_t i = first + u * kThreads;
      if (i < 0 || i >= width) continue;
      std::int64_t token =
          i < expanded ? std::int64_t{block[u]} * ratio + i % ratio : tail_start + (i - expanded);
      if (i < expanded ? block[u] < 0 : i >= filled) token = -1;
      out[i] = token < length ? static_cast<std::int32_t>(token) : -1;
    }
  }
}

}  // namespace

void expand_tokens(const PagedInputs& inputs, const std::int32_t* blocks, std::int32_t k,
                   std::int32_t* tokens, cudaStream_t stream) {
  if (inputs.rows == 0) return;
  const auto kernel = inputs.compress_ratio == 4 ? expand_tokens_kernel<4> : expand_tokens_kernel<0>;
  kernel<<<static_cast<unsigned>(inputs.rows), kThreads, 0, stream>>>(inputs, blocks, k, tokens);
  PLUMBLINE_CHECK_LAUNCH(expand_tokens_kernel);
}

}  // namespace plumbline::gpu
