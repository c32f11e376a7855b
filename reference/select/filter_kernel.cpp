#include "reference/select/filter_kernel.h"

namespace plumbline {

const FilterKernel* find_filter_kernel(CertifyOptions::Filter filter) {
  using Filter = CertifyOptions::Filter;
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0;
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (avx512 && (filter == Filter::avx512 || filter == Filter::automatic)) return &kFilterAvx512;
  if (avx2 && (filter == Filter::avx2 || filter == Filter::automatic)) return &kFilterAvx2;
#endif
  return filter == Filter::sse2 || filter == Filter::automatic ? &kFilterSse2 : nullptr;
}

}  // namespace plumbline
