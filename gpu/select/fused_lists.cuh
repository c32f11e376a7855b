#pragma once

#include "gpu/select/score_hopper.cuh"

#include <cstdint>

namespace plumbline::gpu::hopper {

/// A row's bound as sums: the least that scores as much as the bound, and the least that scores more.
struct RowBound {
  float least, above;
};

/// The blocks of a row that scoring keeps, in lists of one thread each: no two threads append to the same
/// list, so appending takes no atomic and a list ascends by block. A row has `parts` parts of 32 lists; slot
/// j of a part's lists is one piece of memory. Entries: bits of the doubled head sum, block.
struct KeptLists {
  uint2* entries;         ///< [rows, parts, slots, 32]; a part is aligned to its size
  std::uint16_t* counts;  ///< [rows, parts, 32]: entries, and the flags below
  std::int32_t parts;
  std::int32_t slots_log2;

  /// Flag: behind slot slots / 2 - 1, entries equal to the row's bound were left out.
  static constexpr std::uint32_t kStrict = 1u << 15;
  /// Flag: there were more entries than slots.
  static constexpr std::uint32_t kOverflowed = 1u << 14;
  static constexpr std::uint32_t kCount = kOverflowed - 1u;

  __host__ __device__ std::uint32_t slots() const { return 1u << slots_log2; }
  __device__ __forceinline__ const uint2* of(std::int64_t row, std::int32_t part) const {
    return entries + ((row * parts + part) << (slots_log2 + 5));
  }
};

/// A thread's lists: of each of its queries, over the key tiles it sees.
struct ListWriter {
  static constexpr int kQueries = kPairs / 2;
  static constexpr std::uint32_t kSlotBytes = 32 * sizeof(uint2);
  std::uint32_t slots_mask;      // the bits of an address that count slots
  std::uint64_t next[kQueries];  // address of the next entry
  float bound[kQueries];
  std::uint32_t strict = 0, overflowed = 0;  // a bit per query

  __device__ __forceinline__ static std::uint32_t list_of_thread() {
    return threadIdx.x % 128 / 32 * 8 + (threadIdx.x & 31u) / 4;
  }

  /// `first_row`: row of the first query of the thread's group.
  __device__ __forceinline__ void open(const KeptLists& lists, std::int64_t first_row, std::int32_t part,
                                       const RowBound* bounds, std::int64_t rows) {
    slots_mask = (kSlotBytes << lists.slots_log2) - kSlotBytes;
#pragma unroll
    for (int i = 0; i < kQueries; ++i) {
      const std::int64_t row = first_row + 4 * i + (threadIdx.x & 3u);
      next[i] = reinterpret_cast<std::uint64_t>(lists.of(row, part) + list_of_thread());
      bound[i] = row < rows ? __ldcg(&bounds[row].least) : INFINITY;
    }
  }

  /// Keeps the sums that are not below their row's bound (NaN stays in, to be seen later). `block`
  /// is the first of the thread's two. By hand, so that nothing but the low word of an address is counted up.
  __device__ __forceinline__ void append(const float (&sums)[kPairs], std::uint32_t block) {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      asm volatile(
          "{\n.reg .pred keep;\n.reg .b32 low, high;\n"
          "setp.geu.f32 keep, %1, %2;\n"
          "@keep st.global.v2.b32 [%0], {%3, %4};\n"
          "mov.b64 {low, high}, %0;\n"
          "@keep add.u32 low, low, 256;\n"
          "mov.b64 %0, {low, high};\n}\n"
          : "+l"(next[i / 2])
          : "f"(sums[i]), "f"(bound[i / 2]), "r"(__float_as_uint(sums[i])),
            "r"(block + 8u * static_cast<std::uint32_t>(i % 2)));
    }
  }

  __device__ __forceinline__ std::uint32_t used(int i) const {
    return (static_cast<std::uint32_t>(next[i]) & slots_mask) / kSlotBytes;
  }

  /// Whether a list reached half its slots: then call tighten before the next append.
  __device__ __forceinline__ bool half_full() const {
    std::uint32_t any = 0;
#pragma unroll
    for (int i = 0; i < kQueries; ++i) any |= static_cast<std::uint32_t>(next[i]);
    return (any & (slots_mask + kSlotBytes) >> 1) != 0;
  }

  /// Leaves out what equals the bound of lists half full, and everything of full ones. An append
  /// adds at most two entries a list.
  __device__ __forceinline__ void tighten(std::int64_t first_row, const RowBound* bounds, std::int64_t rows) {
    const std::uint32_t slots = slots_mask / kSlotBytes + 1;
#pragma unroll
    for (int i = 0; i < kQueries; ++i) {
      const std::int64_t row = first_row + 4 * i + (threadIdx.x & 3u);
      if (used(i) >= slots / 2 && (strict >> i & 1u) == 0 && row < rows) {
        strict |= 1u << i;
        bound[i] = __ldcg(&bounds[row].above);
      }
      if (used(i) > slots - 3) {  // two more might not fit; NaNs still come
        overflowed |= 1u << i;
        next[i] -= (used(i) - (slots - 3)) * kSlotBytes;
        bound[i] = INFINITY;
      }
    }
  }

  __device__ __forceinline__ void close(const KeptLists& lists, std::int64_t first_row, std::int32_t part,
                                        std::int64_t rows) const {
#pragma unroll
    for (int i = 0; i < kQueries; ++i) {
      const std::int64_t row = first_row + 4 * i + (threadIdx.x & 3u);
      if (row >= rows) continue;
      const std::uint32_t flags = ((strict >> i & 1u) != 0 ? KeptLists::kStrict : 0u) |
                                  ((overflowed >> i & 1u) != 0 ? KeptLists::kOverflowed : 0u);
      lists.counts[(row * lists.parts + part) * 32 + list_of_thread()] =
          static_cast<std::uint16_t>(used(i) | flags);
    }
  }
};

}  // namespace plumbline::gpu::hopper
