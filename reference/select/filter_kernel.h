#pragma once

#include "reference/select/certified_select.h"

#include <cstdint>

namespace plumbline {

/// The innermost loop of the float32 filter for one instruction set: a tile of query heads times a strip of
/// keys. With acc[j][l] = slack[j]·norms[l] + Σ_d queries[d][j]·keys[d][l], adds max(0, acc[j][l]) to
/// sums[j][l] for every head j of the tile, in order. Neighbouring heads of one row share their sums.
struct FilterKernel {
  const char* name;  ///< of the instruction set: "avx512"
  int heads;         ///< per tile
  int keys;          ///< per strip
  void (*relu_tile)(std::int64_t dim, const float* queries, const float* slack, const float* keys,
                    const float* norms, float* const* sums);
};

/// The largest strip; every kernel's strip divides it.
constexpr int kMaxStripKeys = 32;

extern const FilterKernel kFilterSse2;  ///< 128-bit vectors without FMA, the baseline of every machine
#if defined(__x86_64__)
extern const FilterKernel kFilterAvx2;    ///< needs AVX2 and FMA
extern const FilterKernel kFilterAvx512;  ///< needs AVX-512F
#endif

/// The kernel for a choice (automatic: the widest this machine runs); null for `off` and where it cannot run.
const FilterKernel* find_filter_kernel(CertifyOptions::Filter filter);

}  // namespace plumbline
