#pragma once

#include "reference/select/filter_keys.h"
#include "reference/select/filter_queries.h"
#include "reference/select/shortlist.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// Filters a panel of rows against all keys: upper bounds of a few hundred slots at a time, which each row's
/// shortlist digests before the next ones are computed. One per thread; memory is kept between panels.
class PanelFilter {
 public:
  PanelFilter(const FilterKernel& kernel, const FilterKeys& keys, std::int64_t heads, std::int64_t dim);

  void reset(std::int64_t rows);
  void add_row(const RowInQuestion& row, std::span<const float> query);
  /// Streams all keys past the rows added since reset().
  void run();
  /// What is left of the index-th row added.
  void finish(std::int64_t index, Contest& contest) {
    shortlists_[static_cast<std::size_t>(index)].finish(contest);
  }

 private:
  void bound_scores(std::int64_t first, std::int64_t count);

  const FilterKernel& kernel_;
  const FilterKeys& keys_;
  FilterQueries queries_;
  std::int64_t reach_ = 0;  // the most slots a row of the panel ranks
  std::vector<Shortlist> shortlists_;
  std::vector<float> uppers_;         // [rows, slots of a step]
  std::vector<float*> sums_of_head_;  // where a head's row begins in uppers_
};

}  // namespace plumbline
