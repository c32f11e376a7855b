#include "oracle/judge/indexer_scores.h"

#include "oracle/judge/indexer_error_model.h"
#include "oracle/judge/slice.h"
#include "reference/model/score_scale.h"
#include "reference/numeric/exact_dot.h"

#include <bit>
#include <cmath>

namespace plumbline {

void ScoreComparison::merge(const ScoreComparison& other, std::int64_t first_row_of_other) {
  compared += other.compared;
  bit_equal += other.bit_equal;
  beyond += other.beyond;
  if (other.worst_row >= 0 && !(other.largest_share <= largest_share)) {
    largest_share = other.largest_share;
    worst_row = first_row_of_other + other.worst_row;
    worst_block = other.worst_block;
  }
}

ScoreComparison compare_scores(const BoundedTensor& queries, const BoundedTensor& keys,
                               std::span<const std::int32_t> visible, std::span<const float> recorded,
                               std::int64_t stride, const RoundingProfile& profile) {
  const auto errors = float32_any_order_and_inputs(queries, keys);
  const std::int64_t dim = keys.tensor.extent(1);
  ScoreComparison comparison;
  for (std::size_t row = 0; row < visible.size(); ++row) {
    const TensorView query = slice(queries.tensor, static_cast<std::int64_t>(row));
    if (!all_finite(query)) continue;
    for (std::int64_t block = 0; block < visible[row]; ++block) {
      const TensorView key = slice(keys.tensor, block);
      if (!all_finite(key)) continue;
      const ExactScore exact = exact_relu_sum(query, key);
      const double ours = scaled_score(exact.to_double(), profile.score_scale, dim);
      const double unscaled = errors->bound(query, key, magnitude_sum(query, key));
      const double bound = scaled_score(unscaled, profile.score_scale, dim) + std::abs(ours) * 0x1p-51;
      const float theirs = recorded[row * static_cast<std::size_t>(stride) + static_cast<std::size_t>(block)];
      const double distance = std::abs(static_cast<double>(theirs) - ours);

      ++comparison.compared;
      const float expected = scaled_score(exact.to_float(), profile.score_scale, dim);
      if (std::bit_cast<std::uint32_t>(theirs) == std::bit_cast<std::uint32_t>(expected))
        ++comparison.bit_equal;
      if (!(distance <= bound)) ++comparison.beyond;
      const double share = distance == 0 ? 0 : distance / bound;
      if (comparison.worst_row < 0 || !(share <= comparison.largest_share)) {
        comparison.largest_share = share;
        comparison.worst_row = static_cast<std::int64_t>(row);
        comparison.worst_block = block;
      }
    }
  }
  return comparison;
}

}  // namespace plumbline
