#include "reference/summation/sum_order.h"

#include "fixtures/error.h"

#include <array>
#include <bit>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

using Kind = SumOrder::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 6> kNames = {{{Kind::sequential, "sequential"},
                                                                      {Kind::pairwise, "pairwise"},
                                                                      {Kind::lanes, "lanes"},
                                                                      {Kind::strided, "strided"},
                                                                      {Kind::blocks, "blocks"},
                                                                      {Kind::fused, "fused"}}};

bool has_width(Kind kind) { return kind != Kind::sequential && kind != Kind::pairwise; }

std::int32_t chain(SumTree& tree, std::span<const std::int32_t> nodes) {
  std::int32_t sum = nodes[0];
  for (std::size_t i = 1; i < nodes.size(); ++i) sum = tree.add_node(sum, nodes[i]);
  return sum;
}

std::int32_t chain_of_terms(SumTree& tree, std::int64_t first, std::int64_t last, std::int64_t step) {
  std::int32_t sum = tree.add_leaf(static_cast<std::int32_t>(first));
  for (std::int64_t term = first + step; term < last; term += step)
    sum = tree.add_node(sum, tree.add_leaf(static_cast<std::int32_t>(term)));
  return sum;
}

std::int32_t halves(SumTree& tree, std::int64_t first, std::int64_t count) {
  if (count == 1) return tree.add_leaf(static_cast<std::int32_t>(first));
  const std::int64_t half = (count + 1) / 2;
  const std::int32_t left = halves(tree, first, half);
  return tree.add_node(left, halves(tree, first + half, count - half));
}

/// Folds halves of `lanes` lanes of which the first nodes.size() have terms.
void fold(SumTree& tree, std::vector<std::int32_t> nodes, std::size_t lanes) {
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane + half < nodes.size(); ++lane)
      nodes[lane] = tree.add_node(nodes[lane], nodes[lane + half]);
    nodes.resize(std::min(nodes.size(), half));
  }
}

void fused_steps(SumTree& tree, std::int64_t terms, std::int64_t width) {
  std::vector<std::int32_t> step;
  for (std::int64_t first = 0; first < terms; first += width) {
    for (std::int64_t term = first; term < std::min(terms, first + width); ++term)
      step.push_back(tree.add_leaf(static_cast<std::int32_t>(term)));
    const std::int32_t sum = step.size() == 1 ? step[0] : tree.add_node(step);
    step.assign(1, sum);
  }
}

}  // namespace

std::string name_of(const SumOrder& order) {
  for (const auto& [kind, name] : kNames) {
    if (kind != order.kind) continue;
    return has_width(kind) ? fmt::format("{}:{}", name, order.width) : std::string(name);
  }
  return "unknown";
}

SumOrder sum_order_from(std::string_view name) {
  const std::size_t colon = name.find(':');
  for (const auto& [kind, known] : kNames) {
    if (name.substr(0, colon) != known || has_width(kind) != (colon != std::string_view::npos)) continue;
    if (!has_width(kind)) return {kind, 1};
    const std::string_view digits = name.substr(colon + 1);
    std::int32_t width = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), width);
    const bool sound = error == std::errc{} && end == digits.data() + digits.size() && width >= 1 &&
                       width <= 1 << 20 &&
                       (kind != Kind::lanes || std::has_single_bit(static_cast<unsigned>(width)));
    if (sound) return {kind, width};
  }
  throw InputError(
      fmt::format("order '{}': expected sequential, pairwise, or lanes:W (a power of two), "
                  "strided:W, blocks:W or fused:W",
                  name));
}

SumTree tree_of(const SumOrder& order, std::int64_t terms) {
  SumTree tree;
  if (terms <= 0) return tree;
  const std::int64_t width = order.width;
  std::vector<std::int32_t> parts;
  switch (order.kind) {
    case Kind::sequential:
      chain_of_terms(tree, 0, terms, 1);
      break;
    case Kind::pairwise:
      halves(tree, 0, terms);
      break;
    case Kind::lanes:
    case Kind::strided:
      for (std::int64_t lane = 0; lane < std::min(width, terms); ++lane)
        parts.push_back(chain_of_terms(tree, lane, terms, width));
      order.kind == Kind::lanes ? fold(tree, parts, static_cast<std::size_t>(width))
                                : static_cast<void>(chain(tree, parts));
      break;
    case Kind::blocks:
      for (std::int64_t first = 0; first < terms; first += width)
        parts.push_back(chain_of_terms(tree, first, std::min(terms, first + width), 1));
      chain(tree, parts);
      break;
    case Kind::fused:
      fused_steps(tree, terms, width);
      break;
  }
  return tree;
}

SumTree ring_tree(std::int64_t terms, std::int64_t first) {
  SumTree tree;
  if (terms <= 0) return tree;
  std::int32_t sum = tree.add_leaf(static_cast<std::int32_t>(first % terms));
  for (std::int64_t i = 1; i < terms; ++i)
    sum = tree.add_node(sum, tree.add_leaf(static_cast<std::int32_t>((first + i) % terms)));
  return tree;
}

}  // namespace plumbline
