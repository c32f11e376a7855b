#include "oracle/summation/reveal_tree.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

class Prober {
 public:
  explicit Prober(SumBox& box) : box_(box), size_below_(at(box.terms())) {}

  RevealedTree reveal() {
    std::vector<std::int32_t> all(at(box_.terms()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
    if (!all.empty()) build(all);
    return {std::move(tree_), rows_};
  }

 private:
  struct Subtree {
    std::int32_t node = 0;
    std::int64_t size = 0;
  };

  /// Terms in the smallest subtree that holds `pivot` and each of `others`.
  const std::map<std::int32_t, std::int64_t>& sizes_with(std::int32_t pivot,
                                                         std::span<const std::int32_t> others) {
    auto& known = size_below_[at(pivot)];
    std::vector<std::int32_t> asked;
    for (const std::int32_t other : others) {
      if (other != pivot && !known.contains(other)) asked.push_back(other);
    }
    if (asked.empty()) return known;
    const std::size_t terms = at(box_.terms());
    std::vector<float> rows(asked.size() * terms, static_cast<float>(box_.unit()));
    for (std::size_t r = 0; r < asked.size(); ++r) {
      rows[r * terms + at(pivot)] = static_cast<float>(box_.mask());
      rows[r * terms + at(asked[r])] = -static_cast<float>(box_.mask());
    }
    const std::vector<double> sums = box_.sums(rows);
    rows_ += std::ssize(asked);
    for (std::size_t r = 0; r < asked.size(); ++r) known[asked[r]] = size_from(sums[r], pivot, asked[r]);
    return known;
  }

  std::int64_t size_from(double sum, std::int32_t a, std::int32_t b) const {
    const double count = sum / box_.unit(), whole = std::nearbyint(count);
    if (!(std::abs(count - whole) <= 0x1p-10 * std::max(1.0, whole)) || whole < 0 ||
        whole > static_cast<double>(box_.terms() - 2))
      throw NoSumTree(fmt::format("with masks at terms {} and {} the result is {} units, no count of terms",
                                  a, b, count));
    return box_.terms() - static_cast<std::int64_t>(whole);
  }

  /// The terms of `group` in subtrees that hang from one node of `size` terms.
  std::vector<Subtree> children_of(std::int64_t size, std::vector<std::int32_t> group) {
    std::vector<Subtree> children;
    while (!group.empty()) {
      const std::int32_t pivot = group[0];
      const auto& sizes = sizes_with(pivot, group);
      std::vector<std::int32_t> own = {pivot}, rest;
      for (std::size_t i = 1; i < group.size(); ++i) {
        const std::int64_t with = sizes.at(group[i]);
        if (with > size)
          throw NoSumTree(fmt::format("terms {} and {} meet among {} terms, but also among {}", pivot,
                                      group[i], with, size));
        (with < size ? own : rest).push_back(group[i]);
      }
      children.push_back(build(own));
      group = std::move(rest);
    }
    return children;
  }

  /// The subtree of some terms, in ascending order, that holds no others.
  Subtree build(const std::vector<std::int32_t>& terms) {
    const std::int32_t pivot = terms[0];
    std::map<std::int64_t, std::vector<std::int32_t>> by_size;
    const auto& sizes = sizes_with(pivot, terms);
    for (std::size_t i = 1; i < terms.size(); ++i) by_size[sizes.at(terms[i])].push_back(terms[i]);
    Subtree path = {tree_.add_leaf(pivot), 1};
    for (auto& [size, group] : by_size) {
      std::vector<std::int32_t> nodes = {path.node};
      std::int64_t below = path.size;
      for (const Subtree& child : children_of(size, std::move(group))) {
        nodes.push_back(child.node);
        below += child.size;
      }
      if (below != size)
        throw NoSumTree(fmt::format("{} terms are lost where {} meet{}", size, below,
                                    below > size ? ": the accumulator is too wide for the masks" : ""));
      path = {tree_.add_node(nodes), size};
    }
    return path;
  }

  SumBox& box_;
  std::vector<std::map<std::int32_t, std::int64_t>> size_below_;
  SumTree tree_;
  std::int64_t rows_ = 0;
};

}  // namespace

RevealedTree reveal_tree(SumBox& box) { return Prober(box).reveal(); }

}  // namespace plumbline
