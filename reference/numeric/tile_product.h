#pragma once

#include "reference/numeric/linear.h"

#include <cstdint>
#include <span>

namespace plumbline {

/// out[r · stride + c] = Σ_k a[r][k]·b[k][c] for c < columns and k < b.size(), k ascending, one double
/// accumulator per element that starts at +0. Rows are named by pointers, so gathered rows need no copy.
/// `products` as in linear(): the bits do not depend on the instruction set or on how many rows are given at
/// once. Runs on the calling thread.
void tile_product(std::span<const double* const> a, std::span<const double* const> b, std::int64_t columns,
                  Products products, double* out, std::int64_t stride);

}  // namespace plumbline
