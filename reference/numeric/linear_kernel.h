#pragma once

#include <cstdint>

namespace plumbline::linear_kernel {

/// out[r][n] = Σ_k x[r·inner + k]·panel[k][n] for kRows rows and one panel of kPanel outputs, k ascending,
/// from +0.
constexpr int kRows = 8;
constexpr int kPanel = 24;
using Kernel = void (*)(const double* x, std::int64_t inner, const float* panel, double* out);

/// Product and addition round separately: the definition.
void separate(const double* x, std::int64_t inner, const float* panel, double* out);
/// Fused: the bits of separate() when every product is exact in double. Null where this machine has no such
/// instructions.
Kernel fused();

}  // namespace plumbline::linear_kernel
