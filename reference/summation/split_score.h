#pragma once

#include "reference/summation/split_plan.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// Σ_h max(0, q_h·k), unscaled (MODEL.md §2), one row and one block: the head dimension is split by the plan,
/// the heads are added one after another. `query` [heads, dim], `key` [dim]. `touch` may change a head's
/// partials before they are merged.
template <typename Number, typename Touch>
Number split_score(const SplitSum& head_dim, std::span<const float> query, std::span<const float> key,
                   const Touch& touch) {
  std::vector<Number> products(key.size()), heads(query.size() / key.size());
  for (std::size_t h = 0; h < heads.size(); ++h) {
    for (std::size_t d = 0; d < key.size(); ++d)
      products[d] = rounded_product(given<Number>(query[h * key.size() + d]), given<Number>(key[d]));
    std::vector<Number> partials = head_dim.partials<Number>(products);
    touch(std::span<Number>(partials));
    heads[h] = rectified(head_dim.merged<Number>(partials));
  }
  return sum_in_order<Number>(tree_of({}, std::ssize(heads)), heads);
}

}  // namespace plumbline
