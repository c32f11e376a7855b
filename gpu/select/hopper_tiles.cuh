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

struct ScoreJob {
  PagedInputs inputs;    // one request
  std::int32_t columns;  ///< blocks 0 … columns − 1 exist
  const std::int32_t* visible;
  const std::int32_t* row_list;   ///< rows to do, or null: all
  const std::int32_t* row_count;  ///< on the device, with row_list
  std::int32_t splits;  ///< key ranges a row tile is cut into; 0: as many as the grid has blocks for
  bool in_place;        ///< the plane has a row for every row of the request, not of the list
};

/// The first key tile of a split.
__device__ __forceinline__ std::int32_t split_start(std::int32_t tiles, std::int32_t split,
                                                    std::int32_t splits) {
  return static_cast<std::int32_t>(std::int64_t{tiles} * split / splits);
}

/// Where keys lie in the cache. Divides by the page size with a product: the quotient is one too small at
/// most.
struct KeyPlaces {
  const PagedInputs& inputs;
  std::uint32_t page_size, reciprocal;

  __device__ explicit KeyPlaces(const PagedInputs& inputs)
      : inputs(inputs),
        page_size(static_cast<std::uint32_t>(inputs.page_size)),
        reciprocal(page_size == 1 ? 0xFFFFFFFFu
                                  : static_cast<std::uint32_t>((std::uint64_t{1} << 32) / page_size)) {}

  /// In bytes; -1 for block -1 and behind an unmapped page.
  __device__ __forceinline__ std::int64_t operator()(std::int32_t block) const {
    if (block < 0) return -1;
    std::uint32_t logical = __umulhi(static_cast<std::uint32_t>(block), reciprocal);
    std::uint32_t within = static_cast<std::uint32_t>(block) - logical * page_size;
    if (within >= page_size) ++logical, within -= page_size;
    const std::int64_t page = physical_page(inputs, 0, static_cast<std::int32_t>(logical));
    return page < 0 ? -1 : (page * page_size + within) * (kIndexDim * 2);
  }
};

/// The producer warpgroup: fills the stages with the keys of tiles [first, last), where block_at(i) is the
/// block of their i-th key, or -1. A stage is announced when its copies have landed, kLag fills later and
/// before the wait for a free stage, so that the consumers' progress never depends on their own.
template <typename BlockAt>
__device__ __forceinline__ void produce_keys(ScoreShared& s, const PagedInputs& inputs, std::int32_t first,
                                             std::int32_t last, const BlockAt& block_at,
                                             std::uint32_t& fills) {
  constexpr std::uint32_t kLag = 2;
  const int warp = static_cast<int>(threadIdx.x >> 5), lane = static_cast<int>(threadIdx.x & 31u);
  const int half = lane >> 4, piece = lane & 15;
  const auto* cache = static_cast<const char*>(inputs.key_cache);
  const KeyPlaces place(inputs);
  // A thread copies one piece of every second key of its warp's 16. The permutation repeats after 8 keys.
  std::uint32_t to[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) to[i] = swizzled_offset(warp * 16 + 2 * i + half, piece, kKeyPlane);
  const auto announce = [&](std::uint32_t fill) {
    fence_to_async();
    barrier_arrive(&s.full[fill % kStages]);
  };
  const std::uint32_t start = fills;
  // The page table is read a tile ahead.
  std::int64_t next = first < last ? place(block_at(first * kTileKeys + warp * 16 + piece)) : -1;
  for (std::int32_t tile = first; tile < last; ++tile, ++fills) {
    const std::uint32_t stage = fills % kStages;
    const std::int64_t offset = next;
    next = -1;
    if (tile + 1 < last) next = place(block_at((tile + 1) * kTileKeys + warp * 16 + piece));
    if (fills - start >= kLag) {
      copy_async_wait<kLag - 1>();
      announce(fills - kLag);
    }
    const std::int64_t from_first = __shfl_sync(0xFFFFFFFFu, offset, 0);
    const bool in_a_row =
        __all_sync(0xFFFFFFFFu, offset == from_first + piece * (kIndexDim * 2)) != 0 && from_first >= 0;
    barrier_wait(&s.empty[stage], (fills / kStages & 1u) ^ 1u);
    const std::uint32_t base = shared_address(s.keys[stage]);
    if (in_a_row) {
      if (lane == 0) s.mapped[stage][warp] = 0xFFFFu;
      const char* from = cache + from_first + half * (kIndexDim * 2) + piece * 16;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        copy_async_16(base + to[i % 4] + static_cast<std::uint32_t>(i / 4) * 1024u,
                      from + i * (2 * kIndexDim * 2));
      }
    } else {
      const unsigned mapped = __ballot_sync(0xFFFFFFFFu, offset >= 0);
      if (lane == 0) s.mapped[stage][warp] = static_cast<std::uint16_t>(mapped & 0xFFFFu);
#pragma unroll 1
      for (int i = 0; i < 8; ++i) {
        const std::int64_t from = __shfl_sync(0xFFFFFFFFu, offset, 2 * i + half);
        const bool zero = from < 0;
        copy_async_16(base + swizzled_offset(warp * 16 + 2 * i + half, piece, kKeyPlane),
                      cache + (zero ? 0 : from) + piece * 16, zero);
      }
    }
    copy_async_commit();
  }
  copy_async_wait<0>();
  const std::uint32_t pending = fills - start < kLag ? fills - start : kLag;
  for (std::uint32_t fill = fills - pending; fill != fills; ++fill) announce(fill);
}

inline constexpr int kConsumers = 128 * kGroups;
__device__ __forceinline__ void consumers_barrier() { barrier_of<kConsumers>(1); }

/// Loads the queries of a row tile, the first `queries` of them, in the column order that gives a thread all
/// heads of a query; all consumers.
__device__ inline void load_row_tile(ScoreShared& s, const ScoreJob& job, std::int64_t first_row,
                                     std::int64_t rows, int queries = kTileQueries) {
  const auto* query = static_cast<const uint4*>(job.inputs.query);
  const int thread = static_cast<int>(threadIdx.x) - 128;
  consumers_barrier();  // until here a group may still read the tile before
  if (thread < kGroups) s.least_visible[thread] = 0x7FFFFFFF;
  consumers_barrier();
  if (thread < kTileQueries) {
    const std::int64_t at = first_row + thread;
    const std::int32_t row = at >= rows                ? -1
                             : job.row_list != nullptr ? job.row_list[at]
                                                       : static_cast<std::int32_t>(at);
    const std::int32_t visible = row >= 0 ? job.visible[row] : 0;
    s.row[thread] = row;
    s.visible[thread] = visible;
    atomicMin(&s.least_visible[thread / kGroupQueries], visible);
  }
  consumers_barrier();
  for (int i = thread; i < queries * kIndexHeads * 16; i += kConsumers) {
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
  consumers_barrier();
}

/// Prepares the stages; all threads. `groups` of the consumer groups take each stage.
__device__ inline void open_stages(ScoreShared& s, int groups) {
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      barrier_init(&s.full[stage], 128);
      barrier_init(&s.empty[stage], static_cast<std::uint32_t>(4 * groups));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
}

/// Registers per thread: 640 threads start with 96 each.
inline constexpr int kProducerRegisters = 32, kConsumerRegisters = 112;

/// Issues the products of a stage's keys with a group's queries.
template <KeyType kType>
__device__ __forceinline__ void add_products(float (&products)[kProducts], std::uint32_t keys,
                                             std::uint32_t query) {
#pragma unroll
  for (int step = 0; step < kIndexDim / 16; ++step) {
    const std::uint32_t plane = step / 4, within = (step % 4) * 32;  // addresses count in units of 16 bytes
    product_step<kType>(products, keys + (plane * kKeyPlane + within) / 16,
                        query + (plane * kQueryPlane + within) / 16, step > 0);
  }
}

/// The operand of stage 0 or of queries, broadcast, so that the compiler knows it for uniform: operands then
/// live in uniform registers.
__device__ __forceinline__ std::uint32_t uniform_operand(const void* plane) {
  return __shfl_sync(0xFFFFFFFFu, operand(shared_address(plane)), 0);
}

/// The key tiles a consumer warpgroup takes, in order, and where in the ring of stages it is.
struct StageReader {
  ScoreShared& s;
  std::uint32_t keys;  // operand of stage 0
  std::uint32_t fill = 0;

  __device__ explicit StageReader(ScoreShared& s) : s(s), keys(uniform_operand(s.keys[0])) {}

  /// Broadcast for the same reason.
  __device__ __forceinline__ std::uint32_t stage() const {
    return __shfl_sync(0xFFFFFFFFu, fill % kStages, 0);
  }
  /// Waits for the tile's keys and returns their operand.
  __device__ __forceinline__ std::uint32_t wait() const {
    const std::uint32_t at = stage();
    barrier_wait(&s.full[at], fill / kStages & 1u);
    return keys + at * (2 * kKeyPlane / 16);
  }
  /// The mapped keys of the warp's 16.
  __device__ __forceinline__ std::uint32_t mapped() const {
    std::uint32_t keys_mapped = 0;  // read by the thread that hands the stage back
    if ((threadIdx.x & 31u) == 0) keys_mapped = s.mapped[fill % kStages][threadIdx.x % 128 / 32];
    return __shfl_sync(0xFFFFFFFFu, keys_mapped, 0);
  }
  /// Hands the stage back, when all products with it are done and mapped() was read.
  __device__ __forceinline__ void release() {
    __syncwarp();
    if ((threadIdx.x & 31u) == 0) barrier_arrive(&s.empty[fill % kStages]);
    ++fill;
  }
};

/// Multiplies key tiles [first, last), or those whose stage is `turn` modulo kTurns, with the queries of
/// `plane` and calls consume(tile, mapped, products) for each.
template <KeyType kType, int kTurns, typename Consume>
__device__ __forceinline__ void multiply_tiles(StageReader& reader, const void* plane, int turn,
                                               std::int32_t first, std::int32_t last,
                                               const Consume& consume) {
  const std::uint32_t query = uniform_operand(plane);
  for (std::int32_t tile = first; tile < last; ++tile) {
    if (kTurns > 1 && static_cast<int>(reader.fill % kTurns) != turn) {
      ++reader.fill;
      continue;
    }
    float products[kProducts];
    const std::uint32_t keys = reader.wait();
    product_fence();
    add_products<kType>(products, keys, query);
    product_commit();
    product_wait();
    const std::uint32_t mapped = reader.mapped();
    reader.release();
    consume(tile, mapped, products);
  }
}

}  // namespace plumbline::gpu::hopper
