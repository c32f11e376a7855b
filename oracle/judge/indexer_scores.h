#pragma once

#include <cstdint>
#include <span>

#include "reference/model/bounded.h"
#include "reference/model/rounding_profile.h"

namespace plumbline {

/// How recorded scores agree with the exact scores of our queries and keys.
struct ScoreComparison {
  std::int64_t compared = 0;
  std::int64_t bit_equal = 0;   ///< to the exact score, rounded to float32 and scaled in float32
  std::int64_t beyond = 0;      ///< further off than the bound, or not a number
  double largest_share = 0;     ///< largest |recorded − exact| / bound
  std::int64_t worst_row = -1;  ///< where that is
  std::int64_t worst_block = -1;

  void merge(const ScoreComparison& other, std::int64_t first_row_of_other);
};

/// Compares row r's first visible[r] scores with the exact ones, scaled as the profile says, within
/// float32_any_order_and_inputs. `queries` [rows, heads, dim], `keys` [blocks, dim]; `recorded` holds
/// `stride` scores per row. Rows whose own query or a visible key is not finite are left out.
ScoreComparison compare_scores(const BoundedTensor& queries, const BoundedTensor& keys,
                               std::span<const std::int32_t> visible, std::span<const float> recorded,
                               std::int64_t stride, const RoundingProfile& profile);

}  // namespace plumbline
