#include "gpu/runtime/capability.h"
#include "gpu/runtime/check.h"
#include "gpu/select/row_shapes.cuh"
#include "gpu/select/topk_lexicographic.h"
#include "gpu/trace/trace_tag.cuh"

#include <string>

namespace plumbline::gpu {
namespace {

constexpr std::int32_t kShortColumns = 16384;

template <typename Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    topk_lexicographic_kernel(TopkRequest request, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::topk_lexicographic);
  using Selection = typename Shape::Selection;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<typename Selection::Shared*>(shared_bytes);

  const std::int64_t row = blockIdx.x;
  const std::int32_t length = request.lengths[row];
  const std::uint32_t n = static_cast<std::uint32_t>(max(0, min(length, request.columns)));
  const std::uint32_t k = static_cast<std::uint32_t>(request.k);
  std::int32_t* blocks = request.blocks + row * request.k;
  const auto emit = [&](std::uint32_t position, std::uint32_t index) {
    blocks[position] = static_cast<std::int32_t>(index);
  };
  const RowPath path = Selection::run(shared, request.scores + row * request.row_stride, n, k, emit);
  for (std::uint32_t i = n + threadIdx.x; i < k; i += Shape::kThreads) blocks[i] = -1;
  if (request.paths != nullptr && threadIdx.x == 0) request.paths[row] = static_cast<std::uint8_t>(path);
}

template <typename Shape>
void launch(const TopkRequest& request, cudaStream_t stream, TraceTag tag) {
  const auto kernel = topk_lexicographic_kernel<Shape>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), Shape::kSharedBytes, "topk_lexicographic");
  kernel<<<static_cast<unsigned>(request.rows), Shape::kThreads, Shape::kSharedBytes, stream>>>(request, tag);
  PLUMBLINE_CHECK_LAUNCH(topk_lexicographic_kernel);
}

}  // namespace

void topk_lexicographic(const TopkRequest& request, cudaStream_t stream, TraceTag tag) {
  if (request.k < 1 || request.k > kMaxTopk) {
    throw Unsupported("topk_lexicographic: k must be 1 to 2048, found " + std::to_string(request.k));
  }
  if (request.rows <= 0) return;
  if (request.k > 1024) {
    const bool roomy = current_device_limits().shared_bytes_per_block >= LargeK::kSharedBytes;
    roomy ? launch<LargeK>(request, stream, tag) : launch<LargeKTight>(request, stream, tag);
  } else if (request.k <= 512 && request.columns <= kShortColumns) {
    launch<ShortRows>(request, stream, tag);
  } else {
    launch<LongRows>(request, stream, tag);
  }
}

}  // namespace plumbline::gpu
