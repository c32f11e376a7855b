#pragma once

#include "gpu/select/hopper.cuh"

#include <cstdint>

namespace plumbline::gpu::hopper {

// A block: one producer warpgroup and kGroups consumer warpgroups, each with queries of its own, all of them
// multiplying the same keys. Four groups, so that on every scheduler three warps reduce or wait while one
// feeds the tensor cores.
inline constexpr int kGroups = 4;
inline constexpr int kTileKeys = 64;
inline constexpr int kGroupQueries = 32;
inline constexpr int kTileQueries = kGroups * kGroupQueries;
inline constexpr int kColumns = kGroupQueries * kIndexHeads;  // (query, head) columns of a group's product
inline constexpr int kProducts = kColumns / 2;                // of a thread
inline constexpr int kPairs = kProducts / 4;                  // (query, key) pairs of a thread
inline constexpr int kStages = 4;                             // a power of two
inline constexpr int kThreads = 128 * (1 + kGroups);
inline constexpr std::uint32_t kQueryPlane = kColumns * 128;
inline constexpr std::uint32_t kKeyPlane = kTileKeys * 128;

/// 1,024-byte aligned: the planes first.
struct ScoreShared {
  std::uint8_t query[kGroups][2 * kQueryPlane];
  std::uint8_t keys[kStages][2 * kKeyPlane];
  std::uint64_t full[kStages], empty[kStages];
  std::uint16_t mapped[kStages][4];  // one bit per key
  std::int32_t visible[kTileQueries];
  std::int32_t row[kTileQueries];  // row of the request, -1 behind the last
  std::int32_t least_visible[kGroups];
};

/// What the keys of a pass are: all blocks in order, or `samples` blocks spread over them.
struct KeyRange {
  std::int32_t columns = 0;  ///< blocks 0 … columns − 1 exist
  std::int32_t samples = 0;  ///< 0: every block
  std::int32_t samples_log2 = 0;

  __host__ __device__ std::int32_t count() const { return samples > 0 ? samples : columns; }
  __host__ __device__ std::int32_t block(std::int32_t at) const {
    if (samples == 0) return at;
    const std::uint32_t jitter = (static_cast<std::uint32_t>(at) * 0x9E3779B1u) >> 16;
    return static_cast<std::int32_t>(
        ((static_cast<std::uint64_t>(at) << 16 | jitter) * static_cast<std::uint32_t>(columns)) >>
        (16 + samples_log2));
  }
};

struct ScoreJob {
  PagedInputs inputs;  // one request
  KeyRange range;
  const std::int32_t* visible;
  const std::int32_t* row_list;   ///< rows to do, or null: all
  const std::int32_t* row_count;  ///< on the device, with row_list
  std::int32_t splits;  ///< key ranges a row tile is cut into; 0: as many as the grid has blocks for
};

/// Where the key of block `block` lies in the cache, in bytes; -1 behind an unmapped page.
__device__ inline std::int64_t key_offset(const PagedInputs& inputs, std::int32_t block) {
  const std::int32_t logical = block / inputs.page_size;
  const std::int64_t page = physical_page(inputs, 0, logical);
  return page < 0 ? -1 : (page * inputs.page_size + (block - logical * inputs.page_size)) * (kIndexDim * 2);
}

/// The producer warpgroup: fills the stages with the keys of tiles [first, last). A stage is announced when
/// its copies have landed, kLag fills later and before the wait for a free stage, so that the consumers'
/// progress never depends on their own.
__device__ inline void produce_keys(ScoreShared& s, const ScoreJob& job, std::int32_t first,
                                    std::int32_t last, std::uint32_t& fills) {
  constexpr std::uint32_t kLag = 2;
  const int warp = static_cast<int>(threadIdx.x >> 5), lane = static_cast<int>(threadIdx.x & 31u);
  const auto* cache = static_cast<const char*>(job.inputs.key_cache);
  const auto announce = [&](std::uint32_t fill) {
    fence_to_async();
    barrier_arrive(&s.full[fill % kStages]);
  };
  const std::uint32_t start = fills;
  for (std::int32_t tile = first; tile < last; ++tile, ++fills) {
    const std::uint32_t stage = fills % kStages;
    const std::int32_t at = tile * kTileKeys + warp * 16 + (lane & 15);
    const std::int64_t offset = at < job.range.count() ? key_offset(job.inputs, job.range.block(at)) : -1;
    if (fills - start >= kLag) {
      copy_async_wait<kLag - 1>();
      announce(fills - kLag);
    }
    barrier_wait(&s.empty[stage], (fills / kStages & 1u) ^ 1u);
    const unsigned mapped = __ballot_sync(0xFFFFFFFFu, offset >= 0);
    if (lane == 0) s.mapped[stage][warp] = static_cast<std::uint16_t>(mapped & 0xFFFFu);
    const std::uint32_t base = shared_address(s.keys[stage]);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int key = 2 * i + (lane >> 4), piece = lane & 15;
      const std::int64_t from = __shfl_sync(0xFFFFFFFFu, offset, key);
      const bool zero = from < 0;
      copy_async_16(base + swizzled_offset(warp * 16 + key, piece, kKeyPlane),
                    cache + (zero ? 0 : from) + piece * 16, zero);
    }
    copy_async_commit();
  }
  copy_async_wait<0>();
  const std::uint32_t pending = fills - start < kLag ? fills - start : kLag;
  for (std::uint32_t fill = fills - pending; fill != fills; ++fill) announce(fill);
}

/// Loads a row tile's queries, in the column order that gives a thread all heads of a query; all threads.
__device__ inline void load_row_tile(ScoreShared& s, const ScoreJob& job, std::int64_t first_row,
                                     std::int64_t rows) {
  const auto* query = static_cast<const uint4*>(job.inputs.query);
  if (threadIdx.x < kGroups) s.least_visible[threadIdx.x] = 0x7FFFFFFF;
  __syncthreads();
  if (threadIdx.x < kTileQueries) {
    const std::int64_t at = first_row + threadIdx.x;
    const std::int32_t row = at >= rows                ? -1
                             : job.row_list != nullptr ? job.row_list[at]
                                                       : static_cast<std::int32_t>(at);
    const std::int32_t visible = row >= 0 ? job.visible[row] : 0;
    s.row[threadIdx.x] = row;
    s.visible[threadIdx.x] = visible;
    atomicMin(&s.least_visible[threadIdx.x / kGroupQueries], visible);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kTileQueries * kIndexHeads * 16; i += kThreads) {
    const int piece = i & 15, head = i >> 4 & 3, q = i >> 6;
    const int group = q / kGroupQueries, within = q % kGroupQueries;
    const int column = (within / 4) * 16 + (head / 2) * 8 + (within % 4) * 2 + head % 2;
    const std::int32_t row = s.row[q];
    copy_async_16(shared_address(s.query[group]) + swizzled_offset(column, piece, kQueryPlane),
                  query + (std::int64_t{row < 0 ? 0 : row} * kIndexHeads + head) * 16 + piece, row < 0);
  }
  copy_async_commit();
  copy_async_wait<0>();
  fence_to_async();
  __syncthreads();
}

/// The products of one stage's keys with the group's queries.
template <KeyType kType>
__device__ __forceinline__ void multiply_stage(float (&products)[kProducts], std::uint64_t keys,
                                               std::uint64_t query) {
  product_fence();
#pragma unroll
  for (int step = 0; step < kIndexDim / 16; ++step) {
    const std::uint64_t plane = step / 4, within = (step % 4) * 32;  // addresses count in units of 16 bytes
    product_step<kType>(products, keys + (plane * kKeyPlane + within) / 16,
                        query + (plane * kQueryPlane + within) / 16, step > 0);
  }
  product_commit();
  product_wait();
}

inline constexpr float kDoubledSqrtDim = 2.0f * kSqrtIndexDim;

/// The score of a doubled head sum: the same quotient, rounded once.
__device__ __forceinline__ float score_of_doubled(float sum) { return __fdiv_rn(sum, kDoubledSqrtDim); }

/// score_of_doubled of a sum with is_plain(sum): one correction of the product with the reciprocal, exact
/// because nothing under- or overflows.
__device__ __forceinline__ float divide_plain(float sum) {
  constexpr float kReciprocal = 1.0f / kDoubledSqrtDim;
  const float quotient = sum * kReciprocal;
  return fmaf(fmaf(-quotient, kDoubledSqrtDim, sum), kReciprocal, quotient);
}

/// 2^-95 <= sum < 2^125, or zero.
__device__ __forceinline__ bool is_plain(float sum) {
  const std::uint32_t bits = __float_as_uint(sum);
  return bits - 0x10000000u < 0x6E000000u || bits == 0;
}

/// Doubled head sums of a thread's pairs: sums[2·q + half] is query 4·q + lane % 4 of the group and key
/// lane / 4 + 8·half of the warp's 16.
__device__ __forceinline__ void reduce_heads(const float (&products)[kProducts], float (&sums)[kPairs]) {
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const float* h = products + 8 * (i / 2) + 2 * (i % 2);
    sums[i] = doubled_head_sum(h[0], h[1], h[4], h[5]);
  }
}

/// Whether all sums are finite, with room: non-negative, they show it in their total.
__device__ __forceinline__ bool all_finite(const float (&sums)[kPairs]) {
  float total = 0;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) total += sums[i];
  return total < 0x1p120f;
}

/// Whether divide_plain may be used on all of a thread's sums.
template <KeyType kType>
__device__ __forceinline__ bool all_plain(const float (&sums)[kPairs]) {
  // Float16 products are multiples of 2^-48: no sum is too small.
  if constexpr (kType == KeyType::kFloat16) return all_finite(sums);
  bool plain = true;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) plain &= is_plain(sums[i]);
  return plain;
}

/// Writes one value per (row, key) to a plane whose rows follow the job's row order: scores, or the undivided
/// sums.
template <KeyType kType, bool kUndivided>
struct StorePlane {
  float* plane;
  std::int64_t row_stride;
  float* mine = nullptr;  // this thread's first query and key

  __device__ __forceinline__ void begin(ScoreShared&, const ScoreJob&, std::int64_t first_row, int group,
                                        std::int32_t) {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    mine = plane + (first_row + group * kGroupQueries + (lane & 3)) * row_stride +
           static_cast<std::int32_t>(threadIdx.x % 128 / 32) * 16 + lane / 4;
  }
  __device__ __forceinline__ void end(ScoreShared&, const ScoreJob&, std::int64_t, int, std::int32_t) {}

  __device__ __forceinline__ void consume(ScoreShared& s, const ScoreJob& job,
                                          const float (&products)[kProducts], std::int32_t tile,
                                          std::uint32_t mapped, int group) const {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    float values[kPairs];
    reduce_heads(products, values);
    if constexpr (!kUndivided) {
      if (all_plain<kType>(values)) {
#pragma unroll
        for (int i = 0; i < kPairs; ++i) values[i] = divide_plain(values[i]);
      } else {
#pragma unroll
        for (int i = 0; i < kPairs; ++i) {
          const float* h = products + 8 * (i / 2) + 2 * (i % 2);
          values[i] = block_score(h[0], h[1], h[4], h[5]);
        }
      }
    }
    const std::int32_t warp_first = tile * kTileKeys + static_cast<std::int32_t>(threadIdx.x % 128 / 32) * 16;
    float* out = mine + std::int64_t{tile} * kTileKeys;
    if (job.range.samples == 0 && warp_first + 16 <= s.least_visible[group] && mapped == 0xFFFFu) {
#pragma unroll
      for (int pair = 0; pair < kPairs / 2; ++pair, out += 4 * row_stride) {
        out[0] = values[2 * pair];
        out[8] = values[2 * pair + 1];
      }
      return;
    }
#pragma unroll
    for (int pair = 0; pair < kPairs / 2; ++pair, out += 4 * row_stride) {
      const int q = group * kGroupQueries + pair * 4 + (lane & 3);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int32_t at = warp_first + lane / 4 + 8 * half;
        if (s.row[q] < 0 || at >= job.range.count()) continue;
        const bool live = job.range.block(at) < s.visible[q] && (mapped >> (lane / 4 + 8 * half) & 1u) != 0;
        out[8 * half] = live ? values[2 * pair + half] : -INFINITY;
      }
    }
  }
};

/// Runs the block's share of a job. Work item = (row tile, split). `consume(sum, tile, fill, group)` sees the
/// products of a tile; `begin_tile` / `end_tile` bracket a work item on the consumer side.
template <KeyType kType, typename Consumer>
__device__ __forceinline__ void run_score_job(ScoreShared& s, const ScoreJob& job, Consumer& consumer) {
  // Broadcast, so that the compiler knows it for uniform: operand descriptors then live in uniform registers.
  const int group = __shfl_sync(0xFFFFFFFFu, static_cast<int>(threadIdx.x / 128), 0);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      barrier_init(&s.full[stage], 128);
      barrier_init(&s.empty[stage], 4 * kGroups);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  const std::int64_t rows = job.row_count != nullptr ? *job.row_count : job.inputs.rows;
  const std::int64_t row_tiles = (rows + kTileQueries - 1) / kTileQueries;
  const std::int32_t key_tiles = (job.range.count() + kTileKeys - 1) / kTileKeys;
  const std::int32_t most_splits = static_cast<std::int32_t>(gridDim.x / (row_tiles > 0 ? row_tiles : 1));
  const std::int32_t splits = job.splits > 0 ? job.splits : max(1, min(key_tiles, most_splits));
  std::uint32_t fills = 0;
  for (std::int64_t work = blockIdx.x; work < row_tiles * splits; work += gridDim.x) {
    const std::int64_t row_tile = work % row_tiles;
    const std::int32_t split = static_cast<std::int32_t>(work / row_tiles);
    __syncthreads();
    load_row_tile(s, job, row_tile * kTileQueries, rows);
    const std::int32_t first = static_cast<std::int32_t>(std::int64_t{key_tiles} * split / splits);
    const std::int32_t last = static_cast<std::int32_t>(std::int64_t{key_tiles} * (split + 1) / splits);
    if (group == 0) {
      produce_keys(s, job, first, last, fills);
    } else {
      const std::uint64_t query = operand(shared_address(s.query[group - 1]));
      consumer.begin(s, job, row_tile * kTileQueries, group - 1, split);
      for (std::int32_t tile = first; tile < last; ++tile, ++fills) {
        const std::uint32_t stage = fills % kStages;
        barrier_wait(&s.full[stage], fills / kStages & 1u);
        float products[kProducts];
        multiply_stage<kType>(products, operand(shared_address(s.keys[stage])), query);
        const std::uint32_t mapped = s.mapped[stage][threadIdx.x % 128 / 32];
        __syncwarp();
        if ((threadIdx.x & 31u) == 0) barrier_arrive(&s.empty[stage]);
        consumer.consume(s, job, products, tile, mapped, group - 1);
      }
      consumer.end(s, job, row_tile * kTileQueries, group - 1, split);
    }
  }
}

}  // namespace plumbline::gpu::hopper
