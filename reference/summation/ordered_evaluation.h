#pragma once

#include "reference/summation/split_number.h"
#include "reference/summation/sum_tree.h"

#include <span>
#include <vector>

namespace plumbline {

/// The sum of `terms` in a tree's order; +0 for an empty tree.
template <typename Number>
Number sum_in_order(const SumTree& tree, std::span<const Number> terms) {
  if (tree.empty()) return Number{};
  std::vector<Number> sums(tree.nodes().size()), step;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const SumTree::Node& node = tree.nodes()[i];
    const auto children = tree.children(node);
    if (node.count == 0) {
      sums[i] = accumulator_with(terms[static_cast<std::size_t>(node.term)]);
    } else if (node.count == 2) {
      sums[i] = rounded_sum(sums[static_cast<std::size_t>(children[0])],
                            sums[static_cast<std::size_t>(children[1])]);
    } else {
      step.clear();
      for (const std::int32_t child : children) step.push_back(sums[static_cast<std::size_t>(child)]);
      sums[i] = fused_sum(std::span<const Number>(step));
    }
  }
  return sums.back();
}

}  // namespace plumbline
