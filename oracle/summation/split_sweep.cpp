#include "oracle/summation/split_sweep.h"

#include "reference/numeric/ulp.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace plumbline {
namespace {

struct Row {
  std::int64_t ulp = 0;
  double bound_ulp = 0, likely_ulp = 0, share = 0, likely_share = 0;
  std::int64_t beyond = 0;
  bool zero = false;
};

Row judge_row(const SplitCase& one) {
  const float bits = split_outputs<float>(one)[0];
  const Bounded bound = split_outputs<Bounded>(one)[0];
  const Likely likely = split_outputs<Likely>(one)[0];
  const ExactOutput exact = exact_outputs(one)[0];
  const double unit = ulp_of(DType::float32, exact.nearest), deviation = std::abs(bits - exact.value);
  Row row;
  row.zero = exact.nearest == 0;
  if (!row.zero) {
    row.ulp = ulp_distance(DType::float32, std::bit_cast<std::uint32_t>(bits),
                           std::bit_cast<std::uint32_t>(exact.nearest));
    row.bound_ulp = bound.error / unit;
    row.likely_ulp = likely_bound(likely) / unit;
  }
  row.beyond = deviation <= bound.error + exact.error ? 0 : 1;
  if (deviation > exact.error) {
    row.share = deviation / (bound.error + exact.error);
    row.likely_share = deviation / (likely_bound(likely) + exact.error);
  }
  return row;
}

}  // namespace

std::int64_t production_terms(Reduction reduction) {
  switch (reduction) {
    case Reduction::score:
      return 128;
    case Reduction::attention:
      return 2051;
    case Reduction::o_proj:
      return 6144;
    case Reduction::moe_down:
      return 640;
    default:
      return 512;
  }
}

std::vector<SplitPoint> sweep_splits(Reduction reduction, const SplitSweepOptions& options) {
  std::vector<SplitPoint> points;
  for (const SplitData data : all_split_data()) {
    for (const std::int64_t splits : options.splits) {
      std::vector<Row> rows(static_cast<std::size_t>(options.rows));
#pragma omp parallel for schedule(dynamic)
      for (std::int64_t r = 0; r < options.rows; ++r)
        rows[static_cast<std::size_t>(r)] =
            judge_row(make_split_case(reduction, data, options.seed + static_cast<std::uint64_t>(r),
                                      {production_terms(reduction), splits, true}));
      SplitPoint point = {
          .reduction = reduction, .data = data, .terms = production_terms(reduction), .splits = splits};
      point.rows = options.rows;
      std::vector<std::int64_t> ulps;
      for (const Row& row : rows) {
        if (row.zero) {
          ++point.zeros;
        } else {
          ulps.push_back(row.ulp);
        }
        point.bound_ulp = std::max(point.bound_ulp, row.bound_ulp);
        point.likely_ulp = std::max(point.likely_ulp, row.likely_ulp);
        point.share = std::max(point.share, row.share);
        point.likely_share = std::max(point.likely_share, row.likely_share);
        point.beyond += row.beyond;
      }
      std::ranges::sort(ulps);
      if (!ulps.empty()) {
        point.ulp_max = ulps.back();
        point.ulp_p99 = ulps[(ulps.size() * 99 + 99) / 100 - 1];
      }
      points.push_back(point);
    }
  }
  return points;
}

std::string split_table(const std::vector<SplitPoint>& points) {
  std::string text = fmt::format("{:<12} {:<12} {:>6} {:>6} {:>8} {:>8} {:>10} {:>10} {:>8} {:>10}\n",
                                 "reduction", "numbers", "terms", "splits", "p99 ULP", "max ULP", "bound ULP",
                                 "likely ULP", "of bound", "of likely");
  for (const SplitPoint& point : points) {
    text += fmt::format("{:<12} {:<12} {:>6} {:>6} {:>8} {:>8} {:>10.3g} {:>10.3g} {:>6.2f} % {:>8.2f} %{}\n",
                        name_of(point.reduction), name_of(point.data), point.terms, point.splits,
                        point.ulp_p99, point.ulp_max, point.bound_ulp, point.likely_ulp, 100 * point.share,
                        100 * point.likely_share,
                        point.beyond > 0 ? fmt::format("  {} BEYOND", point.beyond) : "");
  }
  return text;
}

}  // namespace plumbline
