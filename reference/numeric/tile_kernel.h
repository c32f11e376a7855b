#pragma once

#include <cstdint>

namespace plumbline::tile_kernel {

/// out[r][c] = Σ_k a[r][k]·b[k][first + c] for kRows rows and kColumns columns, k ascending, from +0.
constexpr int kRows = 12;
constexpr int kColumns = 16;
using Kernel = void (*)(const double* const* a, const double* const* b, std::int64_t inner,
                        std::int64_t first, double* out);

/// Product and addition round separately: the definition.
void separate(const double* const* a, const double* const* b, std::int64_t inner, std::int64_t first,
              double* out);

/// The widest kernel of this machine. With `exact_products` it may fuse, which gives the bits of separate()
/// when every product is exact in double.
Kernel best(bool exact_products);

}  // namespace plumbline::tile_kernel
