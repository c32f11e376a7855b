#include "gpu/runtime/check.h"
#include "gpu/runtime/resident_blocks.cuh"
#include "gpu/select/expand_tokens.h"
#include "gpu/select/paged_inputs.cuh"
#include "gpu/trace/trace_tag.cuh"

namespace plumbline::gpu {
namespace {

constexpr int kThreads = 256, kInFlight = 8;

/// One row per block. The blocks are loaded before what decides about them is known, several at once. Numbers
/// of an element are 32 bits: what a row may hold is worked out once. kRatio 0 reads the ratio from the
/// inputs.
template <int kRatio>
__global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kRatio > 0 ? 8 : 4))
    expand_tokens_kernel(PagedInputs inputs, const std::int32_t* __restrict__ blocks, std::int32_t k,
                         std::int32_t* __restrict__ tokens, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::expand_tokens);
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
  // Tokens of the open group that lie within the sequence; those behind it are padding.
  const std::int64_t tail = max(min(end, std::int64_t{length}) - tail_start, std::int64_t{0});
  const std::int32_t filled = expanded + static_cast<std::int32_t>(tail);
  const std::int32_t from_tail = static_cast<std::int32_t>(tail_start) - expanded;
  const std::uint32_t whole = static_cast<std::uint32_t>(length) / static_cast<std::uint32_t>(ratio);
  const std::uint32_t rest = static_cast<std::uint32_t>(length) % static_cast<std::uint32_t>(ratio);
  const std::int32_t* selected = blocks + row * k;
  std::int32_t* out = tokens + row * width;
  for (std::int32_t first = static_cast<std::int32_t>(threadIdx.x); first < width;
       first += kThreads * kInFlight) {
    std::int32_t block[kInFlight];
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      const std::int32_t slot = (first + u * kThreads) / ratio;
      block[u] = slot < k ? selected[slot] : -1;
    }
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      const std::int32_t i = first + u * kThreads;
      const auto member = static_cast<std::uint32_t>(i) % static_cast<std::uint32_t>(ratio);
      const auto b = static_cast<std::uint32_t>(block[u]);
      const bool within = b < whole || (b == whole && member < rest);
      std::int32_t token = i < filled ? from_tail + i : -1;
      if (i < expanded)
        token = within ? static_cast<std::int32_t>(b * static_cast<std::uint32_t>(ratio) + member) : -1;
      if (i < width) out[i] = token;
    }
  }
}

}  // namespace

void expand_tokens(const PagedInputs& inputs, const std::int32_t* blocks, std::int32_t k,
                   std::int32_t* tokens, cudaStream_t stream, TraceTag tag) {
  if (inputs.rows == 0) return;
  const auto kernel = inputs.compress_ratio == 4 ? expand_tokens_kernel<4> : expand_tokens_kernel<0>;
  kernel<<<static_cast<unsigned>(inputs.rows), kThreads, 0, stream>>>(inputs, blocks, k, tokens, tag);
  PLUMBLINE_CHECK_LAUNCH(expand_tokens_kernel);
}

}  // namespace plumbline::gpu
