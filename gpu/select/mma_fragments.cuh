#pragma once

#include "gpu/select/paged_inputs.cuh"

#include <cstdint>

// Fragments of m16n8k16: 16 keys × 8 (query, head) columns. A shared tile holds rows of 128 16-bit values;
// the 16-byte pieces of a row are permuted by the row's low bits, so that eight rows hit eight banks groups.

namespace plumbline::gpu {

inline constexpr int kTilePieces = kIndexDim / 8;

__device__ __forceinline__ int tile_piece(int row, int piece) {
  return row * kTilePieces + (piece ^ (row & 7));
}

/// The (query, head) column order that lets one thread hold all four heads of a query: within 16 columns,
/// columns 2t, 2t+1 are heads 0, 1 and columns 8+2t, 9+2t heads 2, 3 of query t.
__device__ __forceinline__ int tile_row_of_head(int query, int head) {
  return (query / 4) * 16 + (head / 2) * 8 + (query % 4) * 2 + head % 2;
}

__device__ __forceinline__ void load_matrix_x4(std::uint32_t (&out)[4], const uint4* tile, int row,
                                               int piece) {
#if __CUDA_ARCH__ >= 750
  const std::uint32_t address =
      static_cast<std::uint32_t>(__cvta_generic_to_shared(tile + tile_piece(row, piece)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(address));
#endif
}

template <KeyType kType>
struct Mma {
#if __CUDA_ARCH__ >= 800
  static constexpr bool kTensorCores = true;
#elif __CUDA_ARCH__ >= 750
  static constexpr bool kTensorCores = kType == KeyType::kFloat16;
#else
  static constexpr bool kTensorCores = false;
#endif

  /// sum += keys · columnsᵀ over 16 elements; b0, b1 are the column fragment's halves.
  __device__ __forceinline__ static void step(float (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                              std::uint32_t b1) {
#if __CUDA_ARCH__ >= 800
    if constexpr (kType == KeyType::kFloat16) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    } else {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
#elif __CUDA_ARCH__ >= 750
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
  }
};

template <KeyType kType>
__device__ __forceinline__ float2 widen(std::uint32_t pair) {
  if constexpr (kType == KeyType::kFloat16) {
    return __half22float2(*reinterpret_cast<const __half2*>(&pair));
  } else {
    return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000u)};
  }
}

/// One product without tensor cores: an ascending chain of fused multiply-adds.
template <KeyType kType>
__device__ inline float chained_dot(const uint4* keys, int key, const uint4* columns, int column) {
  float sum = 0;
  for (int piece = 0; piece < kTilePieces; ++piece) {
    const uint4 a = keys[tile_piece(key, piece)], b = columns[tile_piece(column, piece)];
    const std::uint32_t as[4] = {a.x, a.y, a.z, a.w}, bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 x = widen<kType>(as[i]), y = widen<kType>(bs[i]);
      sum = fmaf(x.x, y.x, sum);
      sum = fmaf(x.y, y.y, sum);
    }
  }
  return sum;
}

}  // namespace plumbline::gpu
