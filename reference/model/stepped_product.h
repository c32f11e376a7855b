#pragma once

#include "reference/model/engine_arithmetic.h"
#include "reference/model/rows.h"

namespace plumbline {

/// Which terms of its sum a row of a product takes.
struct Terms {
  /// Row r takes the terms k < triangle + r + 1; all of them where negative.
  std::int64_t triangle = -1;

  static Terms all() { return {}; }
  static Terms up_to_own_row(std::int64_t first_row) { return {first_row}; }
  std::int64_t of(std::int64_t row, std::int64_t inner) const {
    return triangle < 0 ? inner : triangle + row + 1;
  }
};

/// step(Σ_k a[r, k]·b[k, c]), k ascending from +0: a product inside an engine's kernel. `a` has at least as
/// many columns as its rows take terms. Later terms than a row's own never reach it, whatever they hold.
template <typename Number>
Rows<Number> stepped_product(const Rows<Number>& a, const Rows<Number>& b, Terms terms,
                             const BasicEngineArithmetic<Number>& arithmetic);

/// step(a_r · b_c) for c < terms of row r, the rest 0: [a.rows, b.rows]. Rows have one width.
template <typename Number>
Rows<Number> stepped_dots(const Rows<Number>& a, const Rows<Number>& b, Terms terms,
                          const BasicEngineArithmetic<Number>& arithmetic);

}  // namespace plumbline
