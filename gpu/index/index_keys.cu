#include "gpu/index/index_keys.h"
#include "gpu/index/index_launch.cuh"
#include "gpu/runtime/resident_blocks.cuh"
#include "gpu/trace/trace_tag.cuh"

namespace plumbline::gpu {
namespace {

constexpr int kInFlight = 4;  // members loaded before the first is used
constexpr std::int32_t kRealDim = 128, kRealRotaryDim = 64, kRealRatio = 4;

/// A row as a step knows it: no request for a padded one.
struct StepRow {
  std::int32_t request = -1;
  std::int32_t place = -1;
};

__device__ StepRow step_row(const IndexStep& step, const IndexKeyStore& store, std::int64_t row) {
  StepRow r;
  if (row < 0 || row >= step.rows) return r;
  const std::int32_t request = __ldg(step.token_to_request + row);
  const std::int64_t place = __ldg(reinterpret_cast<const long long*>(step.places) + row);
  if (request >= 0 && request < store.requests && place >= 0 && place <= INT32_MAX)
    r = {request, static_cast<std::int32_t>(place)};
  return r;
}

/// The slot of a block's key, or -1 where it has none.
__device__ std::int64_t key_slot(const IndexKeyStore& store, std::int32_t request, std::uint32_t block) {
  const std::uint32_t page_size = static_cast<std::uint32_t>(store.page_size), logical = block / page_size;
  if (logical >= static_cast<std::uint32_t>(store.table_width)) return -1;
  const std::int64_t page = store.page_table[std::int64_t{request} * store.table_width + logical];
  return page >= 0 && page < store.pages ? page * page_size + block % page_size : -1;
}

__device__ std::int64_t ring_slot(const IndexKeyStore& store, std::int32_t request, std::int32_t place) {
  return std::int64_t{request} * store.ring_rows + place % store.ring_rows;
}

/// sum / ratio; a product with the reciprocal is the same where that is a power of two.
__device__ __forceinline__ float mean(float sum, std::int32_t ratio) {
  const float count = static_cast<float>(ratio);
  return (ratio & (ratio - 1)) == 0 ? sum * __frcp_rn(count) : __fdiv_rn(sum, count);
}

/// The members' sum in their order.
template <bool kWhole, typename Vector, typename Member>
__device__ __forceinline__ Vector sum_of(std::int32_t ratio, std::int32_t dim, const Member& member) {
  Vector sum;
  for (std::int32_t base = 0; base < ratio; base += kInFlight) {
    Vector loaded[kInFlight];
#pragma unroll
    for (int u = 0; u < kInFlight; ++u)
      if (base + u < ratio) loaded[u] = Vector::template load<kWhole>(member(base + u), dim);
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      if (base + u >= ratio) break;
      if (base + u == 0)
        sum = loaded[0];
      else
        sum.add(loaded[u]);
    }
  }
  return sum;
}

/// Rows whose groups a warp makes: with the members before them they are known to its lanes.
__host__ __device__ constexpr std::int32_t rows_of_warp(std::int32_t ratio) {
  return (33 - ratio) / ratio * ratio;
}

/// A warp per rows_of_warp(); each of them that ends a group makes its key. Lane l knows the row l − (ratio −
/// 1) behind the warp's first, and the slot of the key it ends. kReal: a head of 128, rotary 64, ratio 4, as
/// the released model has them, so that the compiler knows.
template <typename Stored, int kChunks, bool kWhole, bool kReal>
__global__ void __launch_bounds__(kIndexThreads, resident_blocks(kIndexThreads, kReal ? 6 : 2))
    compress_index_keys_kernel(IndexerParameters indexer, IndexStep step, IndexKeyStore store, TraceTag tag) {
  using Bits = typename Stored::Bits;
  using Vector = IndexVector<Stored, kChunks>;
  __shared__ __align__(16) float shared[kIndexWarps][128 * kChunks];
  record_hit(tag, dispatch::Kernel::compress_index_keys);
  if constexpr (kReal) {
    indexer.dim = kRealDim;
    indexer.rotary_dim = kRealRotaryDim;
    indexer.ratio = kRealRatio;
  }
  const std::int32_t ratio = indexer.ratio, before = ratio - 1;
  const std::int32_t own = rows_of_warp(ratio);
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * kIndexWarps + warp_id()) * own;
  if (first >= step.rows) return;
  const std::int64_t first_known = first - before;
  const StepRow mine = step_row(step, store, first_known + lane_id());
  const bool ends_group =
      mine.request >= 0 && mine.place % ratio == before && lane_id() >= before && lane_id() < before + own;
  const std::int64_t my_slot =
      ends_group ? key_slot(store, mine.request, static_cast<std::uint32_t>(mine.place) / ratio) : -1;
  unsigned groups = __ballot_sync(kFullWarp, my_slot >= 0);
  while (groups != 0) {
    const int last = __ffs(static_cast<int>(groups)) - 1;
    groups &= groups - 1;
    const std::int32_t request = __shfl_sync(kFullWarp, mine.request, last);
    const std::int32_t first_place = __shfl_sync(kFullWarp, mine.place, last) - before;
    const std::int64_t slot = __shfl_sync(kFullWarp, my_slot, last);
    const int first_lane = last - before;
    const unsigned in_step = __ballot_sync(
        kFullWarp, mine.request == request && mine.place == first_place + (lane_id() - first_lane));
    const Bits* fresh =
        static_cast<const Bits*>(step.raw_key) + (first_known + first_lane) * step.raw_key_stride;
    std::int64_t coordinates[3];
    if ((in_step >> first_lane & 1u) != 0)
      coordinates_of(step.coordinates, first_known + first_lane, first_place, coordinates);
    else
      coordinates_of(store.ring_coordinates, ring_slot(store, request, first_place), first_place,
                     coordinates);
    const auto angles = Vector::template angles<kWhole>(indexer, coordinates);
    const unsigned members = ((1u << ratio) - 1u) << first_lane;
    Vector sum;
    if ((in_step & members) == members) {
      sum = sum_of<kWhole, Vector>(ratio, indexer.dim,
                                   [&](std::int32_t m) { return fresh + m * step.raw_key_stride; });
    } else {
      sum = sum_of<kWhole, Vector>(ratio, indexer.dim, [&](std::int32_t m) {
        return (in_step >> (first_lane + m) & 1u) != 0
                   ? fresh + m * step.raw_key_stride
                   : static_cast<const Bits*>(store.ring) +
                         ring_slot(store, request, first_place + m) * indexer.dim;
      });
    }
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll
      for (int j = 0; j < 4; ++j) sum.x[c][j] = mean(sum.x[c][j], ratio);
    }
    sum.round();
    sum.template norm<kWhole>(indexer.key_gain, indexer.dim, indexer.epsilon);
    sum.template rotate<kWhole>(indexer, angles, shared[warp_id()]);
    sum.template store<kWhole>(static_cast<Bits*>(store.keys) + slot * indexer.dim, indexer.dim);
  }
}

constexpr int kRowsOfLane = 4;

/// A warp per 128 rows: a lane decides about four, loaded at once, the warp copies. A key that a later row of
/// the step would overwrite is not written.
template <typename Stored>
__global__ void __launch_bounds__(kIndexThreads)
    keep_raw_keys_kernel(IndexerParameters indexer, IndexStep step, IndexKeyStore store, TraceTag tag) {
  using Bits = typename Stored::Bits;
  record_hit(tag, dispatch::Kernel::keep_raw_keys);
  const std::int64_t first =
      (static_cast<std::int64_t>(blockIdx.x) * kIndexWarps + warp_id()) * 32 * kRowsOfLane;
  if (first >= step.rows) return;
  StepRow mine[kRowsOfLane], later[kRowsOfLane];
#pragma unroll
  for (int u = 0; u < kRowsOfLane; ++u) {
    mine[u] = step_row(step, store, first + 32 * u + lane_id());
    later[u] = step_row(step, store, first + 32 * u + lane_id() + store.ring_rows);
  }
#pragma unroll
  for (int u = 0; u < kRowsOfLane; ++u) {
    const bool lasts = mine[u].request >= 0 && !(later[u].request == mine[u].request &&
                                                 later[u].place == mine[u].place + store.ring_rows);
    const std::int64_t my_slot = lasts ? ring_slot(store, mine[u].request, mine[u].place) : -1;
    unsigned rows = __ballot_sync(kFullWarp, lasts);
    while (rows != 0) {
      const int lane = __ffs(static_cast<int>(rows)) - 1;
      rows &= rows - 1;
      const std::int64_t row = first + 32 * u + lane, slot = __shfl_sync(kFullWarp, my_slot, lane);
      const Bits* from = static_cast<const Bits*>(step.raw_key) + row * step.raw_key_stride;
      Bits* to = static_cast<Bits*>(store.ring) + slot * indexer.dim;
      for (std::int32_t e = lane_id(); e < indexer.dim; e += 32) to[e] = from[e];
      if (step.coordinates != nullptr && store.ring_coordinates != nullptr && lane_id() < 3)
        store.ring_coordinates[3 * slot + lane_id()] = step.coordinates[3 * row + lane_id()];
    }
  }
}

void require_store(const IndexerParameters& indexer, const IndexKeyStore& store) {
  require_served(indexer);
  if (store.ring_rows < indexer.ratio)
    throw Unsupported("the index key ring needs a group's rows, " + std::to_string(indexer.ratio) +
                      ", found " + std::to_string(store.ring_rows));
  if (store.page_size < 1)
    throw Unsupported("index key pages of " + std::to_string(store.page_size) + " slots");
}

}  // namespace

void compress_index_keys(const IndexerParameters& indexer, const IndexStep& step, const IndexKeyStore& store,
                         cudaStream_t stream, const TraceTag& tag) {
  require_store(indexer, store);
  if (step.rows == 0) return;
  const std::int64_t own = rows_of_warp(indexer.ratio), warps = (step.rows + own - 1) / own;
  with_index_shape(indexer, moves_by_four(indexer, step.raw_key, step.raw_key_stride),
                   [&](auto stored, auto chunks, auto whole) {
                     using Stored = decltype(stored);
                     auto kernel = compress_index_keys_kernel<Stored, chunks(), whole(), false>;
                     if constexpr (chunks() == 1 && whole()) {
                       const bool real = indexer.dim == kRealDim && indexer.rotary_dim == kRealRotaryDim &&
                                         indexer.ratio == kRealRatio;
                       if (real) kernel = compress_index_keys_kernel<Stored, 1, true, true>;
                     }
                     kernel<<<blocks_for_warps(warps), kIndexThreads, 0, stream>>>(indexer, step, store, tag);
                     PLUMBLINE_CHECK_LAUNCH(compress_index_keys_kernel);
                   });
}

void keep_raw_keys(const IndexerParameters& indexer, const IndexStep& step, const IndexKeyStore& store,
                   cudaStream_t stream, const TraceTag& tag) {
  require_store(indexer, store);
  if (step.rows == 0) return;
  with_storage(indexer.type, [&](auto stored) {
    keep_raw_keys_kernel<decltype(stored)>
        <<<blocks_for_warps((step.rows + 32 * kRowsOfLane - 1) / (32 * kRowsOfLane)), kIndexThreads, 0,
           stream>>>(indexer, step, store, tag);
    PLUMBLINE_CHECK_LAUNCH(keep_raw_keys_kernel);
  });
}

void append_index_keys(const IndexerParameters& indexer, const IndexStep& step, const IndexKeyStore& store,
                       cudaStream_t stream, const TraceTag& tag) {
  compress_index_keys(indexer, step, store, stream, tag);
  keep_raw_keys(indexer, step, store, stream, tag);
}

}  // namespace plumbline::gpu
