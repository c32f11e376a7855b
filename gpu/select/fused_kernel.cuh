#pragma once

#include "gpu/select/fused_sample.cuh"
#include "gpu/trace/trace_tag.cuh"

#include <cstdint>

namespace plumbline::gpu::hopper {

/// One launch of scoring and keeping. The grid is row tiles · splits blocks, all of them on the device at
/// once: blocks of a row tile wait for each other.
struct FusedJob {
  ScoreJob score;  ///< all rows; splits > 0
  std::int32_t k;
  SampleShape sample;
  std::uint16_t* samples;     ///< [rows, sample.count()]
  RowBound* bounds;           ///< [rows]
  KeptLists lists;            ///< parts: splits, with few rows one per split and group
  std::uint32_t* arrived;     ///< [row tiles], zero
  std::int32_t* handed_over;  ///< [0]: count, set to zero here
  float* plane;               ///< scores, or null
  std::int64_t row_stride;
};

/// With at most a group's worth of rows (kFewRows) the groups take the same queries and the tiles in turn.
static_assert(kStages % kGroups == 0, "in turns, a group always takes the same stages");

/// Waits until all blocks of a row tile have come here `times` times; what they wrote before is then visible.
__device__ __forceinline__ void row_tile_barrier(std::uint32_t* arrived, std::uint32_t blocks,
                                                 std::uint32_t times) {
  consumers_barrier();
  if (threadIdx.x == 128) {
    __threadfence();
    atomicAdd(arrived, 1u);
    std::uint32_t seen;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
    } while (seen < blocks * times);
    __threadfence();
  }
  consumers_barrier();
}

/// Bounds of the row tile's rows, shared out over its blocks and their warps.
__device__ __forceinline__ void find_bounds(const FusedJob& job, std::int64_t first_row, std::int32_t split) {
  const std::int32_t rows =
      static_cast<std::int32_t>(min(std::int64_t{kTileQueries}, job.score.inputs.rows - first_row));
  const std::int32_t count = job.sample.count(), rank = sample_rank(count, job.score.columns, job.k);
  const std::int32_t warp = static_cast<std::int32_t>(threadIdx.x >> 5) - 4;
  for (std::int32_t at = split + job.score.splits * warp; at < rows;
       at += job.score.splits * kConsumers / 32) {
    const RowBound bound = sampled_bound(job.samples + (first_row + at) * count, count, rank);
    if ((threadIdx.x & 31u) == 0) job.bounds[first_row + at] = bound;
  }
}

/// Sample, bounds and the pass over all keys, of the consumer warpgroup `group`.
template <KeyType kType, bool kStore, bool kFewRows>
__device__ __forceinline__ void consume_keys(ScoreShared& s, const FusedJob& job, int group,
                                             std::int64_t first_row, std::int32_t split,
                                             std::int32_t first_tile, std::int32_t last_tile) {
  const std::int64_t rows = job.score.inputs.rows;
  constexpr int kTurns = kFewRows ? kGroups : 1;
  const int own = kFewRows ? 0 : group, first_query = own * kGroupQueries;
  std::uint32_t* const arrived = job.arrived + first_row / kTileQueries;
  load_row_tile(s, job.score, first_row, rows, kFewRows ? kGroupQueries : kTileQueries);
  StageReader reader(s);

  const SampledBlocks sampled(job.sample.per_split, first_tile * kTileKeys,
                              min(last_tile * kTileKeys, job.score.columns));
  multiply_tiles<kType, kTurns>(
      reader, s.query[own], group, 0, (job.sample.per_split + kTileKeys - 1) / kTileKeys,
      [&](std::int32_t tile, std::uint32_t mapped, const float(&products)[kProducts]) {
        float sums[kPairs];
        reduce_heads(products, sums);
        store_samples(s, job.sample, tile, mapped, split, sampled, first_row, first_query, sums, job.samples);
      });
  row_tile_barrier(arrived, static_cast<std::uint32_t>(job.score.splits), 1);
  find_bounds(job, first_row, split);
  row_tile_barrier(arrived, static_cast<std::uint32_t>(job.score.splits), 2);

  const std::int32_t part = kFewRows ? split * kGroups + group : split;
  const std::int64_t group_row = first_row + first_query;
  ListWriter lists;
  lists.open(job.lists, group_row, part, job.bounds, rows);
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int32_t warp_keys = static_cast<std::int32_t>(threadIdx.x % 128 / 32) * 16;
  float* const out = kStore ? plane_of_thread(job.plane, job.row_stride, first_row, own) : nullptr;
  const std::int32_t least_visible = s.least_visible[own];
  multiply_tiles<kType, kTurns>(
      reader, s.query[own], group, first_tile, last_tile,
      [&](std::int32_t tile, std::uint32_t mapped, const float(&products)[kProducts]) {
        float sums[kPairs];
        reduce_heads(products, sums);
        if constexpr (kStore) {
          // Rows with sums that are not finite are handed over and scored again.
          float scores[kPairs];
          divide_sums<kType>(sums, scores);
          store_scores(s, job.score.columns, tile, mapped, own, scores, out, job.row_stride);
        }
        const std::int32_t warp_first = tile * kTileKeys + warp_keys;
        if (warp_first + 16 > least_visible || mapped != 0xFFFFu) {
#pragma unroll
          for (int i = 0; i < kPairs; ++i) {
            const int key = lane / 4 + 8 * (i % 2), q = first_query + i / 2 * 4 + (lane & 3);
            if (warp_first + key >= s.visible[q] || (mapped >> key & 1u) == 0) sums[i] = -1.0f;
          }
        }
        lists.append(sums, static_cast<std::uint32_t>(warp_first + lane / 4));
        if (lists.half_full()) lists.tighten(group_row, job.bounds, rows);
      });
  lists.close(job.lists, group_row, part, rows);
}

template <KeyType kType, bool kStore, bool kFewRows>
__global__ void __launch_bounds__(kThreads, 1) fused_score_kernel(FusedJob job, TraceTag tag) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  record_hit(tag, dispatch::Kernel::fused_score);
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  auto& s = *reinterpret_cast<ScoreShared*>(shared_bytes);
  // Broadcast, so that the compiler knows it for uniform: operand descriptors then live in uniform registers.
  const int warpgroup = __shfl_sync(0xFFFFFFFFu, static_cast<int>(threadIdx.x / 128), 0);
  open_stages(s, kFewRows ? 1 : kGroups);
  let_next_launch_start();
  if (blockIdx.x == 0 && threadIdx.x == 0) *job.handed_over = 0;
  const std::int32_t row_tiles = static_cast<std::int32_t>(gridDim.x) / job.score.splits;
  const std::int32_t split = static_cast<std::int32_t>(blockIdx.x) / row_tiles;
  const std::int64_t first_row =
      std::int64_t{static_cast<std::int32_t>(blockIdx.x) % row_tiles} * kTileQueries;
  const std::int32_t key_tiles = (job.score.columns + kTileKeys - 1) / kTileKeys;
  const std::int32_t first = split_start(key_tiles, split, job.score.splits),
                     last = split_start(key_tiles, split + 1, job.score.splits);
  if (warpgroup == 0) {
    give_registers_up<kProducerRegisters>();
    std::uint32_t fills = 0;
    const SampledBlocks sampled(job.sample.per_split, first * kTileKeys,
                                min(last * kTileKeys, job.score.columns));
    produce_keys(s, job.score.inputs, 0, (job.sample.per_split + kTileKeys - 1) / kTileKeys, sampled, fills);
    produce_keys(
        s, job.score.inputs, first, last, [&](std::int32_t at) { return at < job.score.columns ? at : -1; },
        fills);
    return;
  }
  take_registers<kConsumerRegisters>();
  consume_keys<kType, kStore, kFewRows>(s, job, warpgroup - 1, first_row, split, first, last);
#endif
}

}  // namespace plumbline::gpu::hopper
