#include "reference/select/filter_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define PLUMBLINE_TARGET __attribute__((target("avx2,fma")))

namespace plumbline {
namespace {

using Vector = __m256;
constexpr int kLanes = 8;
constexpr int kHeads = 6;  // 12 of 16 registers accumulate

PLUMBLINE_TARGET inline Vector load(const float* from) { return _mm256_loadu_ps(from); }
PLUMBLINE_TARGET inline void store(float* to, Vector value) { _mm256_storeu_ps(to, value); }
PLUMBLINE_TARGET inline Vector broadcast(const float* from) { return _mm256_set1_ps(*from); }
PLUMBLINE_TARGET inline Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
PLUMBLINE_TARGET inline Vector multiply(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
PLUMBLINE_TARGET inline Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
PLUMBLINE_TARGET inline Vector relu(Vector value) { return _mm256_max_ps(value, _mm256_setzero_ps()); }

#include "reference/select/relu_tile.inc"

}  // namespace

const FilterKernel kFilterAvx2{"avx2", kHeads, kVectors* kLanes, relu_tile};

}  // namespace plumbline

#endif
