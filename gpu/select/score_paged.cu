#include "gpu/runtime/capability.h"
#include "gpu/runtime/check.h"
#include "gpu/select/mma_fragments.cuh"
#include "gpu/select/score_paged.h"
#include "gpu/trace/trace_tag.cuh"

#include <algorithm>

#include <cuda_pipeline.h>

namespace plumbline::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kTileKeys = 128;

/// A block's tile: kTileKeys keys × kQueries rows. Eight warps: four strips of 32 keys × two halves of the
/// rows.
template <int kQueries>
struct PagedTile {
  uint4 query[kQueries * kIndexHeads * kTilePieces];
  uint4 keys[kTileKeys * kTilePieces];
  std::int32_t request[kQueries];
  std::int32_t visible[kQueries];
  std::uint8_t mapped[kTileKeys];
};

struct PagedJob {
  PagedInputs inputs;
  const std::int32_t* visible;
  float* scores;
  std::int64_t row_stride;
  std::int32_t row_tiles, splits;
};

template <int kQueries>
__device__ void load_queries(PagedTile<kQueries>& tile, const PagedJob& job, std::int64_t first_row) {
  const auto* query = static_cast<const uint4*>(job.inputs.query);
  for (int i = static_cast<int>(threadIdx.x); i < kQueries * kIndexHeads * kTilePieces; i += kThreads) {
    const int piece = i % kTilePieces, head = i / kTilePieces % kIndexHeads,
              q = i / kTilePieces / kIndexHeads;
    const std::int64_t row = first_row + q;
    uint4 value{};
    if (row < job.inputs.rows) value = query[(row * kIndexHeads + head) * kTilePieces + piece];
    tile.query[tile_piece(tile_row_of_head(q, head), piece)] = value;
  }
  for (int q = static_cast<int>(threadIdx.x); q < kQueries; q += kThreads) {
    const std::int64_t row = first_row + q;
    const bool live = row < job.inputs.rows && job.visible[row] > 0;
    tile.visible[q] = live ? job.visible[row] : 0;
    tile.request[q] = live ? job.inputs.token_to_request[row] : -1;
  }
}

template <int kQueries>
__device__ void load_keys(PagedTile<kQueries>& tile, const PagedJob& job, std::int32_t request,
                          std::int32_t first, std::int32_t limit) {
  const auto* cache = static_cast<const uint4*>(job.inputs.key_cache);
  for (int i = static_cast<int>(threadIdx.x); i < kTileKeys * kTilePieces; i += kThreads) {
    const int piece = i % kTilePieces, key = i / kTilePieces;
    const std::int32_t block = first + key;
    const std::int32_t logical = block / job.inputs.page_size;
    const std::int64_t page = block < limit ? physical_page(job.inputs, request, logical) : -1;
    uint4* to = tile.keys + tile_piece(key, piece);
    if (page >= 0) {
      const std::int64_t at = page * job.inputs.page_size + (block - logical * job.inputs.page_size);
      __pipeline_memcpy_async(to, cache + at * kTilePieces + piece, sizeof(uint4));
    } else {
      *to = uint4{};
    }
    if (piece == 0) tile.mapped[key] = page >= 0;
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// Products of the warp's 32 keys × kQueries/2 rows: sums[strip][column group][fragment element].
template <KeyType kType, int kQueries>
__device__ void multiply(const PagedTile<kQueries>& tile, float (&sums)[2][kQueries / 4][4]) {
  constexpr int kGroups = kQueries / 4;  // of 8 columns, for half of the rows
  const int lane = static_cast<int>(threadIdx.x & 31u), warp = static_cast<int>(threadIdx.x >> 5);
  const int first_key = (warp & 3) * 32, first_column = (warp >> 2) * kGroups * 8;
  if constexpr (Mma<kType>::kTensorCores) {
#pragma unroll
    for (int strip = 0; strip < 2; ++strip)
#pragma unroll
      for (int g = 0; g < kGroups; ++g)
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[strip][g][e] = 0;
#pragma unroll
    for (int step = 0; step < kIndexDim / 16; ++step) {
      std::uint32_t a[2][4];
#pragma unroll
      for (int strip = 0; strip < 2; ++strip) {
        load_matrix_x4(a[strip], tile.keys, first_key + strip * 16 + (lane & 15), 2 * step + (lane >> 4));
      }
#pragma unroll
      for (int pair = 0; pair < kGroups / 2; ++pair) {
        std::uint32_t b[4];
        load_matrix_x4(b, tile.query, first_column + pair * 16 + (lane & 7) + (lane >> 4) * 8,
                       2 * step + (lane >> 3 & 1));
#pragma unroll
        for (int strip = 0; strip < 2; ++strip) {
          Mma<kType>::step(sums[strip][2 * pair], a[strip], b[0], b[1]);
          Mma<kType>::step(sums[strip][2 * pair + 1], a[strip], b[2], b[3]);
        }
      }
    }
  } else {
#pragma unroll
    for (int strip = 0; strip < 2; ++strip)
#pragma unroll
      for (int g = 0; g < kGroups; ++g)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          sums[strip][g][e] = chained_dot<kType>(tile.keys, first_key + strip * 16 + lane / 4 + (e / 2) * 8,
                                                 tile.query, first_column + g * 8 + 2 * (lane & 3) + (e & 1));
        }
  }
}

template <int kQueries>
__device__ void store_scores(const PagedTile<kQueries>& tile, const PagedJob& job,
                             const float (&sums)[2][kQueries / 4][4], std::int64_t first_row,
                             std::int32_t request, std::int32_t first_block) {
  const int lane = static_cast<int>(threadIdx.x & 31u), warp = static_cast<int>(threadIdx.x >> 5);
#pragma unroll
  for (int pair = 0; pair < kQueries / 8; ++pair) {
    const int q = (warp >> 2) * (kQueries / 2) + pair * 4 + (lane & 3);
    if (tile.request[q] != request) continue;
    float* row = job.scores + (first_row + q) * job.row_stride;
#pragma unroll
    for (int strip = 0; strip < 2; ++strip) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int key = (warp & 3) * 32 + strip * 16 + half * 8 + lane / 4;
        const std::int32_t block = first_block + key;
        if (block >= tile.visible[q]) continue;
        const float(&low)[4] = sums[strip][2 * pair];
        const float(&high)[4] = sums[strip][2 * pair + 1];
        const float score = block_score(low[2 * half], low[2 * half + 1], high[2 * half], high[2 * half + 1]);
        row[block] = tile.mapped[key] != 0 ? score : -INFINITY;
      }
    }
  }
}

template <KeyType kType, int kQueries>
__global__ void __launch_bounds__(kThreads, 2) score_paged_kernel(PagedJob job, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::score_paged);
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto& tile = *reinterpret_cast<PagedTile<kQueries>*>(shared_bytes);
  const std::int64_t first_row = std::int64_t{blockIdx.x % job.row_tiles} * kQueries;
  const std::int32_t split = static_cast<std::int32_t>(blockIdx.x / job.row_tiles);
  load_queries(tile, job, first_row);
  __syncthreads();
  for (int leader = 0; leader < kQueries; ++leader) {
    const std::int32_t request = tile.request[leader];
    if (request < 0) continue;
    bool seen = false;
    for (int q = 0; q < leader; ++q) seen |= tile.request[q] == request;
    if (seen) continue;
    std::int32_t limit = 0;
    for (int q = leader; q < kQueries; ++q) {
      if (tile.request[q] == request) limit = max(limit, tile.visible[q]);
    }
    const std::int32_t tiles = (limit + kTileKeys - 1) / kTileKeys;
    for (std::int32_t t = split; t < tiles; t += job.splits) {
      load_keys(tile, job, request, t * kTileKeys, limit);
      __syncthreads();
      float sums[2][kQueries / 4][4];
      multiply<kType, kQueries>(tile, sums);
      store_scores<kQueries>(tile, job, sums, first_row, request, t * kTileKeys);
      __syncthreads();
    }
  }
}

template <KeyType kType, int kQueries>
void launch(PagedJob job, std::int32_t columns, int multiprocessors, cudaStream_t stream, TraceTag tag) {
  constexpr int kBytes = sizeof(PagedTile<kQueries>);
  const auto kernel = score_paged_kernel<kType, kQueries>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), kBytes, "score_paged");
  job.row_tiles = static_cast<std::int32_t>((job.inputs.rows + kQueries - 1) / kQueries);
  const std::int32_t key_tiles = (columns + kTileKeys - 1) / kTileKeys;
  job.splits = std::max(1, std::min(key_tiles, (8 * multiprocessors + job.row_tiles - 1) / job.row_tiles));
  kernel<<<static_cast<unsigned>(std::int64_t{job.row_tiles} * job.splits), kThreads, kBytes, stream>>>(job,
                                                                                                        tag);
  PLUMBLINE_CHECK_LAUNCH(score_paged_kernel);
}

}  // namespace

void score_paged(const PagedInputs& inputs, std::int32_t columns, const std::int32_t* visible, float* scores,
                 std::int64_t row_stride, cudaStream_t stream, TraceTag tag) {
  if (inputs.rows == 0 || columns <= 0) return;
  const DeviceLimits limits = current_device_limits();
  const PagedJob job{inputs, visible, scores, row_stride, 0, 0};
  const bool wide = limits.shared_bytes_per_block >= static_cast<int>(sizeof(PagedTile<32>));
  if (inputs.type == KeyType::kFloat16) {
    wide ? launch<KeyType::kFloat16, 32>(job, columns, limits.multiprocessors, stream, tag)
         : launch<KeyType::kFloat16, 16>(job, columns, limits.multiprocessors, stream, tag);
  } else {
    wide ? launch<KeyType::kBfloat16, 32>(job, columns, limits.multiprocessors, stream, tag)
         : launch<KeyType::kBfloat16, 16>(job, columns, limits.multiprocessors, stream, tag);
  }
}

}  // namespace plumbline::gpu
