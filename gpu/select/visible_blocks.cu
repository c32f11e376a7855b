#include "gpu/runtime/check.h"
#include "gpu/select/paged_inputs.cuh"
#include "gpu/select/visible_blocks.h"
#include "gpu/trace/trace_tag.cuh"

namespace plumbline::gpu {
namespace {

__global__ void visible_blocks_kernel(PagedInputs inputs, std::int32_t columns, std::int32_t* visible,
                                      TraceTag tag) {
  record_hit(tag, dispatch::Kernel::visible_blocks);
  const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (row >= inputs.rows) return;
  const std::int32_t request = inputs.token_to_request[row];
  std::int64_t count = 0;
  if (request >= 0 && request < inputs.requests) {
    const std::int64_t until_query = query_position(inputs, row) + 1;
    const std::int64_t length = inputs.sequence_lengths[request];
    const std::int64_t tokens = until_query < length ? until_query : length;
    count = tokens <= 0 ? 0 : tokens / inputs.compress_ratio;
  }
  visible[row] = static_cast<std::int32_t>(count < columns ? count : columns);
}

}  // namespace

void count_visible_blocks(const PagedInputs& inputs, std::int32_t columns, std::int32_t* visible,
                          cudaStream_t stream, TraceTag tag) {
  if (inputs.rows == 0) return;
  visible_blocks_kernel<<<static_cast<unsigned>((inputs.rows + 255) / 256), 256, 0, stream>>>(inputs, columns,
                                                                                              visible, tag);
  PLUMBLINE_CHECK_LAUNCH(visible_blocks_kernel);
}

}  // namespace plumbline::gpu
