#pragma once

#include "oracle/summation/split_case.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// How far float32 results of one split count lie from the exact ones, over the rows of one data family.
struct SplitPoint {
  Reduction reduction = Reduction::score;
  SplitData data = SplitData::constant;
  std::int64_t terms = 0, splits = 0, rows = 0;
  std::int64_t ulp_p99 = 0, ulp_max = 0;  ///< from the float32 nearest to the exact value
  double bound_ulp = 0,
         likely_ulp = 0;  ///< the largest bound and companion, in units of that float32's last place
  double share = 0, likely_share = 0;  ///< the largest deviation, of its row's bound and companion
  std::int64_t beyond = 0;
  std::int64_t zeros = 0;  ///< rows whose exact value is 0 (a rectified score): no ULP counts from there
};

struct SplitSweepOptions {
  std::int64_t rows = 64;
  std::uint64_t seed = 0;
  std::vector<std::int64_t> splits = {1, 2, 4, 8, 16, 32, 64};
};

/// Terms of the reduction in the real model: head dimension 128, 2,051 tokens, 6,144 columns of o_proj, 640
/// of an expert's down projection, 512 tokens of a prompt (MODEL.md §1).
std::int64_t production_terms(Reduction reduction);

/// Contiguous splits at production size, all added one after another in float32: every data family × split
/// count. The same rows for every split count.
std::vector<SplitPoint> sweep_splits(Reduction reduction, const SplitSweepOptions& options);

/// A line per point, under a heading.
std::string split_table(const std::vector<SplitPoint>& points);

/// The same as a picture: a panel a reduction, largest distance in ULP over the split count (solid), and the
/// bound (dashed), both logarithmic.
std::string split_picture(const std::vector<SplitPoint>& points);

}  // namespace plumbline
