#include "reference/summation/rank_reduction.h"

namespace plumbline {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace

std::string_view name_of(RankOrder order) {
  switch (order) {
    case RankOrder::ring:
      return "ring";
    case RankOrder::tree:
      return "tree";
    default:
      return "own_first";
  }
}

SumTree rank_tree(RankOrder order, std::int64_t ranks, std::int64_t rank, std::int64_t element,
                  std::int64_t elements) {
  if (order == RankOrder::tree) return tree_of({SumOrder::Kind::pairwise}, ranks);
  return ring_tree(ranks, order == RankOrder::ring ? element * ranks / elements + 1 : rank);
}

template <typename Number>
std::vector<Number> all_reduced(RankOrder order, std::int64_t rank,
                                const std::vector<std::vector<Number>>& partials) {
  const auto ranks = std::ssize(partials), elements = std::ssize(partials.at(0));
  std::vector<Number> out(at(elements)), terms(at(ranks));
  SumTree tree;
  for (std::int64_t element = 0; element < elements; ++element) {
    const bool same_chunk = element > 0 && (order != RankOrder::ring ||
                                            element * ranks / elements == (element - 1) * ranks / elements);
    if (!same_chunk) tree = rank_tree(order, ranks, rank, element, elements);
    for (std::size_t r = 0; r < terms.size(); ++r) terms[r] = partials[r][at(element)];
    out[at(element)] = sum_in_order<Number>(tree, terms);
  }
  return out;
}

template <typename Number>
std::vector<std::vector<Number>> rank_partials(const RankPlan& plan, std::span<const Projection> experts,
                                               std::int64_t outputs) {
  std::vector<std::vector<Number>> partials(plan.inner.size(), std::vector<Number>(at(outputs)));
  std::vector<Number> products, weighted(experts.size());
  const SumTree in_turn = tree_of({}, std::ssize(experts));
  for (std::size_t rank = 0; rank < partials.size(); ++rank) {
    const auto& own = plan.inner[rank];
    const SumTree order = tree_of(plan.local, std::ssize(own));
    products.resize(own.size());
    for (std::int64_t out = 0; out < outputs; ++out) {
      for (std::size_t e = 0; e < experts.size(); ++e) {
        const Projection& expert = experts[e];
        const auto row = expert.weight.subspan(at(out) * expert.x.size(), expert.x.size());
        for (std::size_t i = 0; i < own.size(); ++i)
          products[i] = rounded_product(given<Number>(expert.x[at(own[i])]), given<Number>(row[at(own[i])]));
        weighted[e] = rounded_product(sum_in_order<Number>(order, products), given<Number>(expert.factor));
      }
      partials[rank][at(out)] = stored(plan.partial, sum_in_order<Number>(in_turn, weighted));
    }
  }
  return partials;
}

#define PLUMBLINE_INSTANTIATE(Number)                                                                   \
  template std::vector<Number> all_reduced(RankOrder, std::int64_t,                                     \
                                           const std::vector<std::vector<Number>>&);                    \
  template std::vector<std::vector<Number>> rank_partials(const RankPlan&, std::span<const Projection>, \
                                                          std::int64_t);
PLUMBLINE_INSTANTIATE(float)
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(Likely)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline
