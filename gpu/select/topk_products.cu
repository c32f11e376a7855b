#include "gpu/runtime/capability.h"
#include "gpu/runtime/check.h"
#include "gpu/select/row_shapes.cuh"
#include "gpu/select/topk_products.h"
#include "gpu/trace/trace_tag.cuh"

#include <string>

namespace plumbline::gpu {
namespace {

using Shape = Products;

__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    topk_products_kernel(ProductTopkRequest request, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::topk_products);
  using Selection = Shape::Selection;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<Selection::Shared*>(shared_bytes);

  const std::int64_t row = blockIdx.x;
  const std::uint32_t n = static_cast<std::uint32_t>(max(0, min(request.lengths[row], request.columns)));
  const std::uint32_t k = static_cast<std::uint32_t>(request.k);
  std::int32_t* blocks = request.blocks + row * request.k;
  if (n <= k) {
    for (std::uint32_t i = threadIdx.x; i < k; i += Shape::kThreads)
      blocks[i] = i < n ? static_cast<std::int32_t>(i) : -1;
    return;
  }
  const ProductRow source{request.product + 4 * row * request.stride, request.stride, request.mapped};
  Selection::run_on(shared, source, n, k, [&](std::uint32_t position, std::uint32_t index) {
    blocks[position] = static_cast<std::int32_t>(index);
  });
}

}  // namespace

void topk_products(const ProductTopkRequest& request, cudaStream_t stream, TraceTag tag) {
  if (request.k < 1 || request.k > kMaxProductTopk) {
    throw Unsupported("topk_products: k must be 1 to 1024, found " + std::to_string(request.k));
  }
  if (request.rows <= 0) return;
  allow_shared_memory(reinterpret_cast<const void*>(topk_products_kernel), Shape::kSharedBytes,
                      "topk_products");
  topk_products_kernel<<<static_cast<unsigned>(request.rows), Shape::kThreads, Shape::kSharedBytes, stream>>>(
      request, tag);
  PLUMBLINE_CHECK_LAUNCH(topk_products_kernel);
}

}  // namespace plumbline::gpu
