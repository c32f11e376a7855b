#include "oracle/bench/native/eigen_product.h"

#include <Eigen/Core>

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void plumbline_eigen_product(const float* a, std::int64_t rows,
                                                                    const float* b, std::int64_t columns,
                                                                    std::int64_t depth, float* out,
                                                                    int threads) {
  Eigen::setNbThreads(threads);
  Eigen::Map<Matrix>(out, rows, columns).noalias() =
      Eigen::Map<const Matrix>(a, rows, depth) * Eigen::Map<const Matrix>(b, columns, depth).transpose();
}

__attribute__((visibility("default"))) const char* plumbline_eigen_simd() {
  return Eigen::SimdInstructionSetsInUse();
}

}  // extern "C"
