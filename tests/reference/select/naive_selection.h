#pragma once

#include "reference/numeric/exact_dot.h"
#include "reference/select/certified_select.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

namespace plumbline::testing {

/// The definition, without a thought for speed: score every visible block by expansions, sort, count.
inline std::optional<CertifiedRow> naive_row(const SelectInputs& inputs,
                                             std::span<const std::uint8_t> key_valid, std::int64_t index) {
  std::int32_t visible = 0;
  std::memcpy(&visible, inputs.visible_blocks.at(index), sizeof visible);
  const auto n = std::clamp<std::int64_t>(visible, 0, inputs.blocks);
  const TensorView &queries = *inputs.index_query, &keys = *inputs.index_key;
  const TensorView query{queries.dtype,
                         {queries.shape[1], queries.shape[2]},
                         {queries.strides[1], queries.strides[2]},
                         queries.at(index)};
  if (!all_finite(query)) return std::nullopt;

  struct Ranked {
    bool valid;
    ExactScore score;
    std::int32_t block;
    bool ties(const Ranked& other) const { return valid == other.valid && score == other.score; }
  };
  std::vector<Ranked> ranking;
  for (std::int32_t block = 0; block < n; ++block) {
    const bool valid = key_valid.empty() || key_valid[static_cast<std::size_t>(block)] != 0;
    const TensorView key{keys.dtype, {keys.shape[1]}, {keys.strides[1]}, keys.at(block)};
    if (valid && !all_finite(key)) return std::nullopt;
    ranking.push_back({valid, valid ? exact_relu_sum_by_expansion(query, key) : ExactScore{}, block});
  }
  std::stable_sort(ranking.begin(), ranking.end(), [](const Ranked& a, const Ranked& b) {
    return a.valid != b.valid ? a.valid : a.score > b.score;
  });

  CertifiedRow row;
  const auto k = static_cast<std::size_t>(inputs.geometry.block_topk);
  row.visible = n;
  row.selects = ranking.size() > k;
  for (std::size_t i = 0; i < std::min(k, ranking.size()); ++i) row.blocks.push_back(ranking[i].block);
  std::sort(row.blocks.begin(), row.blocks.end());
  if (!row.selects) return row;
  const Ranked &last = ranking[k - 1], &next = ranking[k];
  row.cutoff = last.score;
  row.runner_up = next.score;
  row.cutoff_is_minus_infinity = !last.valid;
  row.runner_up_is_minus_infinity = !next.valid;
  row.tied_at_cutoff = last.ties(next);
  row.zero_plateau = last.valid && last.score.is_zero();
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    if (!ranking[i].ties(last)) continue;
    ++row.tie_class_size;
    if (i < k) ++row.tie_class_selected;
  }
  return row;
}

}  // namespace plumbline::testing
