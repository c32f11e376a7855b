#include "gpu/runtime/capability.h"
#include "gpu/runtime/check.h"
#include "gpu/select/row_shapes.cuh"
#include "gpu/select/topk_persistent.h"
#include "gpu/trace/trace_tag.cuh"

#include <string>

namespace plumbline::gpu {
namespace {

/// What the parts of a row leave for its last block: k entries a part, in ascending index order throughout.
struct PartWinners {
  float* scores;           // [rows, parts · k]
  std::int32_t* indices;   // [rows, parts · k]
  std::uint32_t* arrived;  // [rows], zero before the launch
};

template <typename Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    topk_persistent_kernel(TopkRequest request, PersistentGeometry geometry, PartWinners winners,
                           TraceTag tag) {
  record_hit(tag, dispatch::Kernel::topk_persistent);
  using Selection = typename Shape::Selection;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<typename Selection::Shared*>(shared_bytes);
  __shared__ bool last;

  const std::int64_t row = blockIdx.x / geometry.parts;
  const std::uint32_t part = blockIdx.x % geometry.parts;
  const std::int32_t length = request.lengths[row];
  const std::uint32_t n = static_cast<std::uint32_t>(max(0, min(length, request.columns)));
  const std::uint32_t k = static_cast<std::uint32_t>(request.k);
  const float* scores = request.scores + row * request.row_stride;
  std::int32_t* blocks = request.blocks + row * request.k;
  RowPath path;

  const std::uint32_t part_columns = static_cast<std::uint32_t>(geometry.part_columns);
  const std::uint32_t live_parts = n == 0 ? 0 : (n - 1) / part_columns + 1;
  if (live_parts <= 1) {
    if (part != 0) return;
    path = Selection::run(shared, scores, n, k, [&](std::uint32_t position, std::uint32_t index) {
      blocks[position] = static_cast<std::int32_t>(index);
    });
  } else {
    if (part >= live_parts) return;
    const std::uint32_t first = part * part_columns;
    const std::uint32_t width = min(part_columns, n - first);
    const std::int64_t base = (row * geometry.parts + part) * request.k;
    Selection::run(shared, scores + first, width, k, [&](std::uint32_t position, std::uint32_t index) {
      winners.indices[base + position] = static_cast<std::int32_t>(first + index);
      winners.scores[base + position] = scores[first + index];
    });
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&winners.arrived[row], 1u) == live_parts - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    const std::int64_t rows_winners = row * geometry.parts * request.k;
    const std::uint32_t last_width = n - (live_parts - 1) * part_columns;
    const std::uint32_t collected = (live_parts - 1) * k + min(k, last_width);
    path = Selection::run(shared, winners.scores + rows_winners, collected, k,
                          [&](std::uint32_t position, std::uint32_t index) {
                            blocks[position] = winners.indices[rows_winners + index];
                          });
  }
  for (std::uint32_t i = n + threadIdx.x; i < k; i += Shape::kThreads) blocks[i] = -1;
  if (request.paths != nullptr && threadIdx.x == 0) request.paths[row] = static_cast<std::uint8_t>(path);
}

template <typename Shape>
void launch(const TopkRequest& request, const PersistentGeometry& geometry, const PartWinners& winners,
            cudaStream_t stream, TraceTag tag) {
  const auto kernel = topk_persistent_kernel<Shape>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), Shape::kSharedBytes, "topk_persistent");
  kernel<<<static_cast<unsigned>(request.rows * geometry.parts), Shape::kThreads, Shape::kSharedBytes,
           stream>>>(request, geometry, winners, tag);
  PLUMBLINE_CHECK_LAUNCH(topk_persistent_kernel);
}

}  // namespace

void topk_persistent(const TopkRequest& request, cudaStream_t stream, TraceTag tag) {
  if (request.k < 1 || request.k > kMaxTopk) {
    throw Unsupported("topk_persistent: k must be 1 to 2048, found " + std::to_string(request.k));
  }
  if (request.rows <= 0) return;
  const DeviceLimits limits = current_device_limits();
  const std::int64_t resident = std::int64_t{LongRows::kBlocks} * limits.multiprocessors;
  const PersistentGeometry geometry = persistent_geometry(request.rows, request.columns, request.k, resident);
  PartWinners winners{};
  void* memory = nullptr;
  const std::int64_t entries = geometry.parts > 1 ? request.rows * geometry.parts * request.k : 0;
  if (entries > 0) {
    PLUMBLINE_CHECK(
        cudaMallocAsync(&memory, static_cast<std::size_t>(entries * 8 + request.rows * 4), stream));
    winners.scores = static_cast<float*>(memory);
    winners.indices = reinterpret_cast<std::int32_t*>(winners.scores + entries);
    winners.arrived = reinterpret_cast<std::uint32_t*>(winners.indices + entries);
    PLUMBLINE_CHECK(cudaMemsetAsync(winners.arrived, 0, static_cast<std::size_t>(request.rows) * 4, stream));
  }
  if (request.k <= 1024) {
    launch<LongRows>(request, geometry, winners, stream, tag);
  } else if (limits.shared_bytes_per_block >= LargeK::kSharedBytes) {
    launch<LargeK>(request, geometry, winners, stream, tag);
  } else {
    launch<LargeKTight>(request, geometry, winners, stream, tag);
  }
  if (memory != nullptr) PLUMBLINE_CHECK(cudaFreeAsync(memory, stream));
}

}  // namespace plumbline::gpu
