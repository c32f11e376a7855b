#include "gpu/runtime/check.h"
#include "gpu/select/expand_tokens.h"
#include "gpu/select/paged_inputs.cuh"
#include "gpu/trace/trace_tag.cuh"

namespace plumbline::gpu {
namespace {

__global__ void expand_tokens_kernel(PagedInputs inputs, const std::int32_t* blocks, std::int32_t k,
                                     std::int32_t* tokens, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::expand_tokens);
  const std::int64_t row = blockIdx.x;
  const std::int32_t ratio = inputs.compress_ratio;
  const std::int32_t width = k * ratio + ratio - 1;
  const std::int32_t request = inputs.token_to_request[row];
  const bool live = request >= 0 && request < inputs.requests;
  const std::int64_t length = live ? inputs.sequence_lengths[request] : 0;
  const std::int64_t end = live ? max(query_position(inputs, row) + 1, std::int64_t{0}) : 0;
  const std::int64_t complete = min(min(end, max(length, std::int64_t{0})) / ratio, std::int64_t{k});
  const std::int64_t tail_start = end / ratio * ratio;
  for (std::int32_t i = threadIdx.x; i < width; i += blockDim.x) {
    std::int64_t token = -1;
    if (i < complete * ratio) {
      const std::int32_t block = blocks[row * k + i / ratio];
      token = block < 0 ? -1 : std::int64_t{block} * ratio + i % ratio;
    } else if (i < complete * ratio + (end - tail_start)) {
      token = tail_start + (i - complete * ratio);
    }
    tokens[row * width + i] = token >= 0 && token < length ? static_cast<std::int32_t>(token) : -1;
  }
}

}  // namespace

void expand_tokens(const PagedInputs& inputs, const std::int32_t* blocks, std::int32_t k,
                   std::int32_t* tokens, cudaStream_t stream, TraceTag tag) {
  if (inputs.rows == 0) return;
  expand_tokens_kernel<<<static_cast<unsigned>(inputs.rows), 256, 0, stream>>>(inputs, blocks, k, tokens,
                                                                               tag);
  PLUMBLINE_CHECK_LAUNCH(expand_tokens_kernel);
}

}  // namespace plumbline::gpu
