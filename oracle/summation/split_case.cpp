#include "oracle/summation/split_case.h"

#include "fixtures/small_float.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::array kReductions = {Reduction::score, Reduction::attention, Reduction::o_proj,
                                    Reduction::moe_down, Reduction::delta_state};
constexpr std::array kData = {SplitData::constant, SplitData::same_sign, SplitData::random_sign,
                              SplitData::wide, SplitData::cancelling};

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Choices and numbers of a case, all from its seed.
class Draw {
 public:
  Draw(std::uint64_t seed, SplitData data) : random_(seed), data_(data) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  template <typename T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[random_.below(choices.size())];
  }

  /// `count` numbers of the case's kind, in `storage`.
  std::vector<float> numbers(std::int64_t count, DType storage) {
    std::vector<float> all(at(count));
    const double constant = 0.5 + random_.uniform();
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = static_cast<float>(round_to(storage, number(constant, i > 0 ? all[i - 1] : 0, i)));
    return all;
  }

  /// Positive numbers of about 1, whatever the data: what weighs, and must not vanish.
  std::vector<float> weights(std::int64_t count, DType storage) {
    std::vector<float> all(at(count));
    const double constant = 0.5 + random_.uniform();
    for (float& weight : all) {
      const double drawn = data_ == SplitData::constant ? constant : 0.25 + random_.uniform();
      weight = static_cast<float>(round_to(storage, drawn));
    }
    return all;
  }

 private:
  double number(double constant, float before, std::size_t index) {
    switch (data_) {
      case SplitData::constant:
        return constant;
      case SplitData::same_sign:
        return random_.uniform() + 0x1p-10;
      case SplitData::random_sign:
        return random_.normal();
      case SplitData::wide:
        return std::ldexp(random_.normal(), static_cast<int>(between(-10, 2)));
      default:
        return index % 2 == 0 ? random_.normal() : -before * (1 + 0x1p-6 * random_.uniform());
    }
  }

  Random random_;
  SplitData data_;
};

SumOrder drawn_order(Draw& draw) {
  using Kind = SumOrder::Kind;
  const Kind kind =
      draw.one_of({Kind::sequential, Kind::pairwise, Kind::lanes, Kind::strided, Kind::blocks, Kind::fused});
  switch (kind) {
    case Kind::sequential:
    case Kind::pairwise:
      return {kind, 1};
    case Kind::lanes:
      return {kind, draw.one_of({2, 4, 8, 16})};
    default:
      return {kind, static_cast<std::int32_t>(draw.between(2, 16))};
  }
}

/// Any binary tree: two nodes drawn from those not yet joined, until one is left.
SumTree drawn_merge(Draw& draw, std::int64_t splits) {
  if (draw.between(0, 1) == 0) return tree_of(drawn_order(draw), splits);
  SumTree tree;
  std::vector<std::int32_t> open;
  for (std::int64_t s = 0; s < splits; ++s) open.push_back(tree.add_leaf(static_cast<std::int32_t>(s)));
  while (open.size() > 1) {
    const auto take = [&] {
      const std::int64_t which = draw.between(0, std::ssize(open) - 1);
      const std::int32_t node = open[at(which)];
      open.erase(open.begin() + which);
      return node;
    };
    const std::int32_t first = take(), second = take();
    open.push_back(tree.add_node(first, second));
  }
  return tree;
}

/// Any binary tree over neighbours.
std::int32_t join_neighbours(Draw& draw, SumTree& tree, std::int64_t first, std::int64_t last) {
  if (last - first == 1) return tree.add_leaf(static_cast<std::int32_t>(first));
  const std::int64_t cut = draw.between(first + 1, last - 1);
  const std::int32_t left = join_neighbours(draw, tree, first, cut);
  return tree.add_node(left, join_neighbours(draw, tree, cut, last));
}

/// Contiguous splits of drawn lengths; some are empty.
Partition drawn_cuts(Draw& draw, std::int64_t terms, std::int64_t splits) {
  std::vector<std::int64_t> cuts = {0, terms};
  for (std::int64_t s = 1; s < splits; ++s) cuts.push_back(draw.between(0, terms));
  std::ranges::sort(cuts);
  Partition partition;
  for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
    auto& own = partition.emplace_back();
    for (std::int64_t term = cuts[s]; term < cuts[s + 1]; ++term)
      own.push_back(static_cast<std::int32_t>(term));
  }
  return partition;
}

SplitPlan drawn_plan(Draw& draw, Reduction reduction, const SplitShape& shape, std::int64_t terms,
                     std::int64_t splits) {
  const bool ordered = reduction == Reduction::delta_state;
  SplitPlan plan;
  if (shape.plain) {
    plan.splits = contiguous_partition(terms, splits);
    plan.merge = tree_of({}, splits);
    return plan;
  }
  const std::int64_t kind = ordered ? 2 * draw.between(0, 1) : draw.between(0, 2);
  plan.splits = kind == 0   ? contiguous_partition(terms, splits)
                : kind == 1 ? strided_partition(terms, splits)
                            : drawn_cuts(draw, terms, splits);
  plan.local = drawn_order(draw);
  if (ordered) {
    join_neighbours(draw, plan.merge, 0, splits);
  } else {
    plan.merge = drawn_merge(draw, splits);
  }
  plan.partial = draw.one_of({DType::float32, DType::float32, DType::bfloat16, DType::float16});
  return plan;
}

}  // namespace

std::string_view name_of(Reduction reduction) {
  constexpr std::array<std::string_view, 5> names = {"score", "attention", "o_proj", "moe_down",
                                                     "delta_state"};
  return names[static_cast<std::size_t>(reduction)];
}
std::span<const Reduction> all_reductions() { return kReductions; }

std::string_view name_of(SplitData data) {
  constexpr std::array<std::string_view, 5> names = {"constant", "same_sign", "random_sign", "wide",
                                                     "cancelling"};
  return names[static_cast<std::size_t>(data)];
}
std::span<const SplitData> all_split_data() { return kData; }

SplitCase make_split_case(Reduction reduction, SplitData data, std::uint64_t seed, const SplitShape& shape) {
  Draw draw(seed, data);
  SplitCase one;
  one.reduction = reduction;
  one.data = data;
  one.seed = seed;
  one.terms = shape.terms > 0 ? shape.terms : draw.between(1, reduction == Reduction::attention ? 24 : 48);
  const std::int64_t splits = shape.splits > 0 ? shape.splits : draw.between(1, 8);
  one.plan = drawn_plan(draw, reduction, shape, one.terms, splits);
  one.storage = draw.one_of({DType::float16, DType::bfloat16});
  switch (reduction) {
    case Reduction::score:
      one.inner = draw.between(1, 2);
      one.left = draw.numbers(one.inner * one.terms, one.storage);
      one.right = draw.numbers(one.terms, one.storage);
      break;
    case Reduction::attention:
      one.inner = 4;
      one.outputs = 2;
      one.attention_merge = draw.one_of({AttentionMerge::log_sum_exp, AttentionMerge::running_maximum});
      if (!shape.plain) one.attention_weights = draw.one_of({DType::float32, one.storage});
      if (!shape.plain) one.head_dim_order = drawn_order(draw);
      one.left = draw.numbers(one.inner, one.storage);
      one.right = draw.numbers(one.terms * one.inner, one.storage);
      one.values = draw.numbers(one.terms * one.outputs, one.storage);
      break;
    case Reduction::o_proj:
    case Reduction::moe_down:
      one.inner = reduction == Reduction::o_proj ? 1 : draw.between(1, 3);
      one.outputs = 2;
      one.rank_order = draw.one_of({RankOrder::ring, RankOrder::tree, RankOrder::own_first});
      one.left = draw.numbers(one.inner * one.terms, one.storage);
      one.right = draw.numbers(one.inner * one.outputs * one.terms, one.storage);
      one.factors =
          reduction == Reduction::o_proj ? std::vector<float>{1} : draw.weights(one.inner, one.storage);
      break;
    case Reduction::delta_state:
      one.inner = 1;
      one.outputs = 2;
      one.left = draw.numbers(one.terms * one.inner, DType::float32);
      one.right = draw.numbers(one.terms * one.outputs, DType::float32);
      one.factors = draw.weights(one.terms, DType::float32);
      for (float& decay : one.factors) decay *= -0x1p-6f;
      break;
  }
  return one;
}

std::string SplitCase::describe() const {
  return fmt::format(
      "{} on {} numbers, seed {}: {} terms in {} splits, local order {}, merge {}, partials {}",
      name_of(reduction), name_of(data), seed, terms, plan.splits.size(), name_of(plan.local),
      plan.merge.text(), name_of(plan.partial));
}

}  // namespace plumbline
