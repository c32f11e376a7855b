#pragma once

#include "reference/numeric/dyadic_window.h"
#include "reference/numeric/exact_score.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// One query, prepared for many exact scores Σ_h max(0, Σ_d q[h,d]·k[d]). Each pair takes the narrowest
/// arithmetic that the windows of query and key prove to be exact: with W = width(q) + width(k) +
/// ⌈log2(heads·dim)⌉, every partial sum is a multiple of 2^(unit(q)+unit(k)) that fits W bits, so
///   W <= 53: double; W <= 126 and both widths <= 62: 128-bit integers; else: WideSum.
class ExactQuery {
 public:
  enum class Arithmetic : std::uint8_t { float64, integer128, wide_sum };

  /// `values` [heads, dim], contiguous. Throws std::invalid_argument when one is not finite.
  ExactQuery(std::span<const float> values, std::int64_t heads);

  Arithmetic arithmetic(DyadicWindow key_window) const;
  /// `key_window` must hold every element of `key` [dim].
  ExactScore score(std::span<const float> key, DyadicWindow key_window) const;

 private:
  std::int64_t heads_, dim_;
  DyadicWindow window_;
  int count_bits_;              // ⌈log2(heads·dim)⌉
  std::vector<double> values_;  // [heads, dim]
};

}  // namespace plumbline
