#include "reference/numeric/tile_kernel.h"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 reports its own _mm512_undefined_* placeholders.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

namespace plumbline::tile_kernel {
namespace {

#if defined(__x86_64__)
template <bool Fused>
__attribute__((target("avx512f"))) void avx512(const double* const* a, const double* const* b,
                                               std::int64_t inner, std::int64_t first, double* out) {
  __m512d sum[kRows][2];
#pragma GCC unroll 12
  for (auto& row : sum) row[0] = row[1] = _mm512_setzero_pd();
  for (std::int64_t k = 0; k < inner; ++k) {
    const double* source = b[k] + first;
    const __m512d b0 = _mm512_loadu_pd(source), b1 = _mm512_loadu_pd(source + 8);
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row) {
      const __m512d x = _mm512_set1_pd(a[row][k]);
      if constexpr (Fused) {
        sum[row][0] = _mm512_fmadd_pd(x, b0, sum[row][0]);
        sum[row][1] = _mm512_fmadd_pd(x, b1, sum[row][1]);
      } else {
        sum[row][0] = _mm512_add_pd(sum[row][0], _mm512_mul_pd(x, b0));
        sum[row][1] = _mm512_add_pd(sum[row][1], _mm512_mul_pd(x, b1));
      }
    }
  }
#pragma GCC unroll 12
  for (int row = 0; row < kRows; ++row) {
    _mm512_storeu_pd(out + row * kColumns, sum[row][0]);
    _mm512_storeu_pd(out + row * kColumns + 8, sum[row][1]);
  }
}

// Sixteen registers of four doubles hold a tile of 6 x 8, so the tile is walked in four of them.
template <bool Fused>
__attribute__((target("avx2,fma"))) void avx2(const double* const* a, const double* const* b,
                                              std::int64_t inner, std::int64_t first, double* out) {
  constexpr int part_rows = 6, part_columns = 8;
  for (int part = 0; part < 4; ++part) {
    const int first_row = part / 2 * part_rows, first_column = part % 2 * part_columns;
    const double* const* rows = a + first_row;
    __m256d sum[part_rows][2];
#pragma GCC unroll 6
    for (auto& row : sum) row[0] = row[1] = _mm256_setzero_pd();
    for (std::int64_t k = 0; k < inner; ++k) {
      const double* source = b[k] + first + first_column;
      const __m256d b0 = _mm256_loadu_pd(source), b1 = _mm256_loadu_pd(source + 4);
#pragma GCC unroll 6
      for (int row = 0; row < part_rows; ++row) {
        const __m256d x = _mm256_set1_pd(rows[row][k]);
        if constexpr (Fused) {
          sum[row][0] = _mm256_fmadd_pd(x, b0, sum[row][0]);
          sum[row][1] = _mm256_fmadd_pd(x, b1, sum[row][1]);
        } else {
          sum[row][0] = _mm256_add_pd(sum[row][0], _mm256_mul_pd(x, b0));
          sum[row][1] = _mm256_add_pd(sum[row][1], _mm256_mul_pd(x, b1));
        }
      }
    }
#pragma GCC unroll 6
    for (int row = 0; row < part_rows; ++row) {
      double* to = out + (first_row + row) * kColumns + first_column;
      _mm256_storeu_pd(to, sum[row][0]);
      _mm256_storeu_pd(to + 4, sum[row][1]);
    }
  }
}
#endif

}  // namespace

void separate(const double* const* a, const double* const* b, std::int64_t inner, std::int64_t first,
              double* out) {
  double sum[kRows][kColumns] = {};
  for (std::int64_t k = 0; k < inner; ++k) {
    const double* source = b[k] + first;
    for (int row = 0; row < kRows; ++row) {
      const double x = a[row][k];
      for (int column = 0; column < kColumns; ++column) sum[row][column] += x * source[column];
    }
  }
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) out[row * kColumns + column] = sum[row][column];
  }
}

Kernel best(bool exact_products) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return exact_products ? avx512<true> : avx512<false>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return exact_products ? avx2<true> : avx2<false>;
#endif
  return separate;
}

}  // namespace plumbline::tile_kernel
