#include "gpu/index/index_launch.cuh"
#include "gpu/index/index_queries.h"
#include "gpu/trace/trace_tag.cuh"

namespace plumbline::gpu {
namespace {

/// A warp per row and head.
template <typename Stored, int kChunks, bool kWhole>
__global__ void __launch_bounds__(kIndexThreads)
    index_queries_kernel(IndexerParameters indexer, IndexStep step, std::int32_t requests,
                         typename Stored::Bits* queries, TraceTag tag) {
  using Vector = IndexVector<Stored, kChunks>;
  __shared__ __align__(16) float shared[kIndexWarps][128 * kChunks];
  record_hit(tag, dispatch::Kernel::index_queries);
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kIndexWarps + warp_id();
  const std::int64_t row = at / indexer.heads, head = at - row * indexer.heads;
  if (row >= step.rows) return;
  const std::int32_t request = step.token_to_request[row];
  const std::int64_t place = step.places[row];
  if (request < 0 || request >= requests || place < 0) return;
  std::int64_t coordinates[3];
  coordinates_of(step.coordinates, row, place, coordinates);
  const auto* from = static_cast<const typename Stored::Bits*>(step.query) + row * step.query_stride;
  Vector v = Vector::template load<kWhole>(from + head * indexer.dim, indexer.dim);
  const auto angles = Vector::template angles<kWhole>(indexer, coordinates);
  v.template norm<kWhole>(indexer.query_gain, indexer.dim, indexer.epsilon);
  v.template rotate<kWhole>(indexer, angles, shared[warp_id()]);
  v.template store<kWhole>(queries + at * indexer.dim, indexer.dim);
}

}  // namespace

void index_queries(const IndexerParameters& indexer, const IndexStep& step, std::int32_t requests,
                   void* queries, cudaStream_t stream, const TraceTag& tag) {
  require_served(indexer);
  const std::int64_t vectors = step.rows * indexer.heads;
  if (vectors == 0) return;
  with_index_shape(indexer, moves_by_four(indexer, step.query, step.query_stride),
                   [&](auto stored, auto chunks, auto whole) {
                     using Stored = decltype(stored);
                     index_queries_kernel<Stored, chunks(), whole()>
                         <<<blocks_for_warps(vectors), kIndexThreads, 0, stream>>>(
                             indexer, step, requests, static_cast<typename Stored::Bits*>(queries), tag);
                     PLUMBLINE_CHECK_LAUNCH(index_queries_kernel);
                   });
}

}  // namespace plumbline::gpu
