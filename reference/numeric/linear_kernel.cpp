#include "reference/numeric/linear_kernel.h"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 reports its own _mm512_undefined_* placeholders.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

namespace plumbline::linear_kernel {
namespace {

#if defined(__x86_64__)
__attribute__((target("avx512f"))) void fused_avx512(const double* x, std::int64_t inner, const float* panel,
                                                     double* out) {
  __m512d sum[kRows][3];
#pragma GCC unroll 8
  for (auto& row : sum) row[0] = row[1] = row[2] = _mm512_setzero_pd();
  for (std::int64_t k = 0; k < inner; ++k, panel += kPanel) {
    const __m512d w0 = _mm512_cvtps_pd(_mm256_loadu_ps(panel));
    const __m512d w1 = _mm512_cvtps_pd(_mm256_loadu_ps(panel + 8));
    const __m512d w2 = _mm512_cvtps_pd(_mm256_loadu_ps(panel + 16));
#pragma GCC unroll 8
    for (int row = 0; row < kRows; ++row) {
      const __m512d a = _mm512_set1_pd(x[row * inner + k]);
      sum[row][0] = _mm512_fmadd_pd(a, w0, sum[row][0]);
      sum[row][1] = _mm512_fmadd_pd(a, w1, sum[row][1]);
      sum[row][2] = _mm512_fmadd_pd(a, w2, sum[row][2]);
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (int part = 0; part < 3; ++part) _mm512_storeu_pd(out + row * kPanel + part * 8, sum[row][part]);
  }
}

// Sixteen registers of four doubles hold a tile of 4 x 12, so the block is walked in four of them.
__attribute__((target("avx2,fma"))) void fused_avx2(const double* x, std::int64_t inner, const float* panel,
                                                    double* out) {
  constexpr int tile_rows = 4, tile_columns = 12;
  for (int tile = 0; tile < 4; ++tile) {
    const int first_row = tile / 2 * tile_rows, first_column = tile % 2 * tile_columns;
    const double* source = x + first_row * inner;
    const float* w = panel + first_column;
    __m256d sum[tile_rows][3];
#pragma GCC unroll 4
    for (auto& row : sum) row[0] = row[1] = row[2] = _mm256_setzero_pd();
    for (std::int64_t k = 0; k < inner; ++k, w += kPanel) {
      const __m256d w0 = _mm256_cvtps_pd(_mm_loadu_ps(w));
      const __m256d w1 = _mm256_cvtps_pd(_mm_loadu_ps(w + 4));
      const __m256d w2 = _mm256_cvtps_pd(_mm_loadu_ps(w + 8));
#pragma GCC unroll 4
      for (int row = 0; row < tile_rows; ++row) {
        const __m256d a = _mm256_set1_pd(source[row * inner + k]);
        sum[row][0] = _mm256_fmadd_pd(a, w0, sum[row][0]);
        sum[row][1] = _mm256_fmadd_pd(a, w1, sum[row][1]);
        sum[row][2] = _mm256_fmadd_pd(a, w2, sum[row][2]);
      }
    }
#pragma GCC unroll 4
    for (int row = 0; row < tile_rows; ++row) {
#pragma GCC unroll 3
      for (int part = 0; part < 3; ++part) {
        _mm256_storeu_pd(out + (first_row + row) * kPanel + first_column + part * 4, sum[row][part]);
      }
    }
  }
}
#endif

}  // namespace

void separate(const double* x, std::int64_t inner, const float* panel, double* out) {
  double sum[kRows][kPanel] = {};
  for (std::int64_t k = 0; k < inner; ++k, panel += kPanel) {
    for (int row = 0; row < kRows; ++row) {
      const double a = x[row * inner + k];
      for (int column = 0; column < kPanel; ++column) {
        sum[row][column] += a * static_cast<double>(panel[column]);
      }
    }
  }
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kPanel; ++column) out[row * kPanel + column] = sum[row][column];
  }
}

Kernel fused() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return fused_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return fused_avx2;
#endif
  return nullptr;
}

}  // namespace plumbline::linear_kernel
