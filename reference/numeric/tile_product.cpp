#include "reference/numeric/tile_product.h"

#include "reference/numeric/tile_kernel.h"

#include <algorithm>
#include <array>

namespace plumbline {
namespace {

using tile_kernel::kColumns;
using tile_kernel::kRows;

/// Few rows, or the columns that fill no tile.
void plain(std::span<const double* const> a, std::span<const double* const> b, std::int64_t first,
           std::int64_t columns, double* out, std::int64_t stride) {
  for (std::size_t r = 0; r < a.size(); ++r) {
    double* to = out + static_cast<std::int64_t>(r) * stride;
    std::fill(to + first, to + columns, 0.0);
    for (std::size_t k = 0; k < b.size(); ++k) {
      const double x = a[r][k];
      for (std::int64_t c = first; c < columns; ++c) to[c] += x * b[k][c];
    }
  }
}

}  // namespace

void tile_product(std::span<const double* const> a, std::span<const double* const> b, std::int64_t columns,
                  Products products, double* out, std::int64_t stride) {
  constexpr std::size_t kFewRows = 2;
  if (a.size() <= kFewRows) return plain(a, b, 0, columns, out, stride);
  const tile_kernel::Kernel kernel = tile_kernel::best(products == Products::exact);
  const std::int64_t tiled = columns / kColumns * kColumns;
  double block[kRows * kColumns];
  for (std::size_t row = 0; row < a.size(); row += kRows) {
    const auto count = std::min<std::size_t>(kRows, a.size() - row);
    std::array<const double*, kRows> rows;  // the last row again where there is none
    for (std::size_t r = 0; r < kRows; ++r) rows[r] = a[row + std::min(r, count - 1)];
    for (std::int64_t first = 0; first < tiled; first += kColumns) {
      kernel(rows.data(), b.data(), static_cast<std::int64_t>(b.size()), first, block);
      for (std::size_t r = 0; r < count; ++r) {
        std::copy_n(block + r * kColumns, kColumns,
                    out + static_cast<std::int64_t>(row + r) * stride + first);
      }
    }
  }
  if (tiled < columns) plain(a, b, tiled, columns, out, stride);
}

}  // namespace plumbline
