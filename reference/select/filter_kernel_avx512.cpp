#include "reference/select/filter_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define PLUMBLINE_TARGET __attribute__((target("avx512f")))

namespace plumbline {
namespace {

using Vector = __m512;
constexpr int kLanes = 16;
constexpr int kHeads = 12;  // 24 of 32 registers accumulate

PLUMBLINE_TARGET inline Vector load(const float* from) { return _mm512_loadu_ps(from); }
PLUMBLINE_TARGET inline void store(float* to, Vector value) { _mm512_storeu_ps(to, value); }
PLUMBLINE_TARGET inline Vector broadcast(const float* from) { return _mm512_set1_ps(*from); }
PLUMBLINE_TARGET inline Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
PLUMBLINE_TARGET inline Vector multiply(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
PLUMBLINE_TARGET inline Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
// The masked form, because GCC 12 warns of an uninitialised value inside the plain one.
PLUMBLINE_TARGET inline Vector relu(Vector value) {
  return _mm512_maskz_max_ps(0xFFFF, value, _mm512_setzero_ps());
}

#include "reference/select/relu_tile.inc"

}  // namespace

const FilterKernel kFilterAvx512{"avx512", kHeads, kVectors* kLanes, relu_tile};

}  // namespace plumbline

#endif
