#include "gpu/bench/careless_product.h"

#include <cublas_v2.h>
#include <dlfcn.h>

namespace plumbline::gpu::bench {
namespace {

ProductCare care_taken = ProductCare::whole;

}  // namespace

void set_product_care(ProductCare care) { care_taken = care; }

}  // namespace plumbline::gpu::bench

// A definition in the program comes before a shared library's, for every caller.
extern "C" cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                       cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                       const void* a, cudaDataType a_type, int lda, const void* b,
                                       cudaDataType b_type, int ldb, const void* beta, void* c,
                                       cudaDataType c_type, int ldc, cublasComputeType_t compute,
                                       cublasGemmAlgo_t algorithm) {
  using Product =
      cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                         const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                         cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
  static const auto library = reinterpret_cast<Product>(dlsym(RTLD_NEXT, "cublasGemmEx"));
  if (library == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  using plumbline::gpu::bench::care_taken;
  using plumbline::gpu::bench::ProductCare;
  if (care_taken == ProductCare::none) return CUBLAS_STATUS_SUCCESS;
  if (care_taken == ProductCare::all_but_last_row) --n;
  return library(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,
                 compute, algorithm);
}
