#include "oracle/summation/accumulator_probe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

struct Placed {
  std::int32_t term;
  double value;  ///< in units of the large term
};

class AccumulatorProbe {
 public:
  AccumulatorProbe(SumBox& box, const SumTree& tree)
      : box_(box), tree_(tree), most_bits_(std::ilogb(box.mask() / box.unit()) - 2) {}

  AccumulatorFacts probe() {
    AccumulatorFacts facts;
    facts.fused_terms = tree_.widest();
    facts.most_bits = most_bits_;
    if (const auto place = before_another()) {
      const auto kept = [&](double small) {
        const double large = std::copysign(1, small);  // so that the sum keeps the large term's leading bit
        return magnitude({{place->at(0), large}, {place->at(1), small}, {place->at(2), -large}});
      };
      facts.result_bits = most_kept(kept);
      facts.result_cut = cut_of(kept, *facts.result_bits);
    }
    if (const auto place = in_one_step()) {
      const auto kept = [&](double small) {
        return magnitude({{place->at(0), 1}, {place->at(1), -1}, {place->at(2), small}});
      };
      facts.aligned_bits = most_kept(kept);
      facts.aligned_cut = cut_of(kept, *facts.aligned_bits);
    }
    return facts;
  }

 private:
  double magnitude(std::initializer_list<Placed> placed) {
    std::vector<float> row(static_cast<std::size_t>(box_.terms()), 0.0f);
    for (const Placed& one : placed)
      row[static_cast<std::size_t>(one.term)] = static_cast<float>(one.value * box_.mask());
    return std::abs(box_.sums(row)[0]) / box_.mask();
  }

  std::vector<std::int32_t> leaves_of(const SumTree::Node& node) const {
    std::vector<std::int32_t> leaves;
    for (const std::int32_t child : tree_.children(node)) {
      const SumTree::Node& below = tree_.nodes()[static_cast<std::size_t>(child)];
      if (below.count == 0) leaves.push_back(below.term);
    }
    return leaves;
  }

  /// Two terms of one step, and one that joins later.
  std::optional<std::array<std::int32_t, 3>> before_another() const {
    for (std::size_t i = 0; i + 1 < tree_.nodes().size(); ++i) {
      const SumTree::Node& node = tree_.nodes()[i];
      if (node.count == 0) continue;
      const std::vector<std::int32_t> leaves = leaves_of(node);
      if (leaves.size() < 2 || std::ssize(leaves) < node.count) continue;
      for (std::int32_t term = 0; term < box_.terms(); ++term) {
        if (std::ranges::find(leaves, term) == leaves.end()) return {{leaves[0], leaves[1], term}};
      }
    }
    return std::nullopt;
  }

  std::optional<std::array<std::int32_t, 3>> in_one_step() const {
    for (const SumTree::Node& node : tree_.nodes()) {
      const std::vector<std::int32_t> leaves = leaves_of(node);
      if (leaves.size() >= 3) return {{leaves[0], leaves[1], leaves[2]}};
    }
    return std::nullopt;
  }

  /// The most bits b at which 2^-b comes through whole.
  template <typename Kept>
  int most_kept(const Kept& kept) const {
    int bits = 0;
    while (bits < most_bits_ && near(kept(std::ldexp(1, -bits - 1)), std::ldexp(1, -bits - 1))) ++bits;
    return bits;
  }

  /// What becomes of a quarter, a half and three quarters of the last place, below an even and an odd one.
  template <typename Kept>
  CutKind cut_of(const Kept& kept, int bits) const {
    if (bits >= most_bits_) return CutKind::other;
    const double last = std::ldexp(1, -bits);
    const auto becomes = [&](double places) { return kept(places * last) / last; };
    const bool keeps = near(becomes(1.25), 1);
    const std::array<double, 4> seen = {becomes(0.5), becomes(1.5), becomes(0.75), becomes(-1.75)};
    const auto is = [&](std::array<double, 4> expected) {
      return keeps && std::ranges::equal(seen, expected, [](double a, double b) { return near(a, b); });
    };
    if (is({0, 2, 1, 2})) return CutKind::nearest_even;
    if (is({1, 2, 1, 2})) return CutKind::nearest_away;
    if (is({0, 1, 0, 1})) return CutKind::toward_zero;
    return CutKind::other;
  }

  static bool near(double a, double b) { return std::abs(a - b) <= 0x1p-10 * std::abs(b); }

  SumBox& box_;
  const SumTree& tree_;
  int most_bits_;
};

std::string bits(int count, int most) {
  return count == most ? fmt::format("at least {}", count) : std::to_string(count);
}

}  // namespace

std::string_view name_of(CutKind kind) {
  switch (kind) {
    case CutKind::nearest_even:
      return "to nearest, ties to even";
    case CutKind::nearest_away:
      return "to nearest, ties away from zero";
    case CutKind::toward_zero:
      return "toward zero";
    default:
      return "neither to nearest nor toward zero";
  }
}

AccumulatorFacts probe_accumulator(SumBox& box, const SumTree& tree) {
  return AccumulatorProbe(box, tree).probe();
}

std::string describe(const AccumulatorFacts& facts) {
  std::string text = facts.fused_terms > 2 ? fmt::format("up to {} terms at once", facts.fused_terms)
                                           : "two terms at a time";
  if (facts.aligned_bits)
    text += fmt::format(", each cut {} {} bits below the largest", name_of(*facts.aligned_cut),
                        bits(*facts.aligned_bits, facts.most_bits));
  if (facts.result_bits) {
    text += fmt::format("; results keep {} bits", bits(*facts.result_bits, facts.most_bits));
    if (*facts.result_bits < facts.most_bits) text += fmt::format(", cut {}", name_of(*facts.result_cut));
  }
  return text;
}

}  // namespace plumbline
