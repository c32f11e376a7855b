#include "gpu/index/index_projection.h"

#include <limits>

namespace plumbline::gpu {

void IndexProjection::project(IndexType type, const void* x, std::int64_t tokens, std::int64_t hidden,
                              const void* weight, std::int64_t outputs, void* out, cudaStream_t stream) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (tokens > kMost || hidden > kMost || outputs > kMost)
    throw Unsupported("index projection: cuBLAS takes extents up to 2147483647");
  if (tokens == 0 || outputs == 0) return;
  const cudaDataType stored = type == IndexType::kFloat16    ? CUDA_R_16F
                              : type == IndexType::kBfloat16 ? CUDA_R_16BF
                                                             : CUDA_R_32F;
  const auto m = static_cast<int>(outputs), n = static_cast<int>(tokens), k = static_cast<int>(hidden);
  const float one = 1, zero = 0;
  const cublasHandle_t cublas = cublas_.on(stream);
  // Partial sums of a split product stay in float32.
  constexpr int kMode = CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  PLUMBLINE_CHECK(cublasSetMathMode(cublas, static_cast<cublasMath_t>(kMode)));
  PLUMBLINE_CHECK(cublasGemmEx(cublas, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &one, weight, stored, k, x, stored,
                               k, &zero, out, stored, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

}  // namespace plumbline::gpu
