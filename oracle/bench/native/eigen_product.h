#pragma once

#include <cstdint>

extern "C" {

/// out [rows, columns] = a [rows, depth] · bᵀ, b [columns, depth]: a plain Eigen float32 product, all
/// row-major, on `threads` threads.
void plumbline_eigen_product(const float* a, std::int64_t rows, const float* b, std::int64_t columns,
                             std::int64_t depth, float* out, int threads);

/// The SIMD this library was compiled for, in Eigen's words.
const char* plumbline_eigen_simd();

}  // extern "C"
