#pragma once

#include "reference/select/filter_kernel.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// The query heads of a few rows as scaled float32, packed for a kernel: tiles of `kernel.heads` heads, each
/// [dim][heads of the tile], rows one after the other. Heads beyond the last are zero.
class FilterQueries {
 public:
  FilterQueries(const FilterKernel& kernel, std::int64_t heads, std::int64_t dim);

  /// Empties the panel. At most `rows` rows are then added.
  void reset(std::int64_t rows);
  /// `query` [heads, dim], finite.
  void add_row(std::span<const float> query);

  std::int64_t rows() const { return static_cast<std::int64_t>(widths_.size()); }
  std::int64_t dim() const { return dim_; }
  std::int64_t tiles() const { return (rows() * heads_ + kernel_.heads - 1) / kernel_.heads; }
  const float* tile(std::int64_t index) const { return values_.data() + index * kernel_.heads * dim_; }
  const float* slack(std::int64_t index) const { return slack_.data() + index * kernel_.heads; }
  /// The row of a head; heads beyond the last count to the last row, where they add nothing.
  std::int64_t row_of(std::int64_t head) const { return std::min(head / heads_, rows() - 1); }
  /// 4·Σ c_h of filter_bound.h: times a key's norm, how far the lower bound lies below the upper one.
  float width(std::int64_t row) const { return widths_[static_cast<std::size_t>(row)]; }

 private:
  const FilterKernel& kernel_;
  std::int64_t heads_, dim_;
  double slack_factor_;
  std::vector<float> values_, slack_, widths_;
};

}  // namespace plumbline
