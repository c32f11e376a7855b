#include "oracle/judge/score_drift.h"

#include "reference/numeric/exact_dot.h"
#include "reference/select/select_views.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace plumbline {

ScoreDrift score_drift(const SelectInputs& inputs, std::int64_t row, std::span<const float> a,
                       std::span<const float> b, std::int64_t visible, const ErrorModel& model) {
  ScoreDrift drift;
  const TensorView query = query_of(inputs, row);
  for (std::size_t block = 0; block < static_cast<std::size_t>(std::max<std::int64_t>(visible, 0)); ++block) {
    if (std::bit_cast<std::uint32_t>(a[block]) == std::bit_cast<std::uint32_t>(b[block])) continue;
    ++drift.changed;
    const double first = a[block], second = b[block];
    const TensorView key = key_of(inputs, static_cast<std::int64_t>(block));
    const double unscaled = 2 * model.bound(query, key, magnitude_sum(query, key));
    const double allowed = unscaled / std::sqrt(static_cast<double>(inputs.geometry.index_head_dim)) +
                           0x1p-24 * (std::abs(first) + std::abs(second)) + 0x1p-149;
    const double distance = std::abs(first - second);
    if (!std::isfinite(distance)) {
      ++drift.beyond;
      continue;
    }
    if (!(distance <= allowed * (1 + 0x1p-24))) ++drift.beyond;  // float32's sqrt(dim) is off by less
    if (distance > 0) drift.largest_share = std::max(drift.largest_share, distance / allowed);
  }
  return drift;
}

}  // namespace plumbline
