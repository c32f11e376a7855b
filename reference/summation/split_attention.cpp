#include "reference/summation/split_attention.h"

#include <utility>

namespace plumbline {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

template <typename Number>
std::vector<Number> scores_of(const AttentionRow& row, const SumTree& order) {
  std::vector<Number> scores(at(row.tokens)), products(at(row.head_dim));
  for (std::int64_t t = 0; t < row.tokens; ++t) {
    for (std::size_t d = 0; d < products.size(); ++d)
      products[d] =
          rounded_product(given<Number>(row.query[d]), given<Number>(row.keys[at(t * row.head_dim) + d]));
    scores[at(t)] = rounded_product(sum_in_order<Number>(order, products), given<Number>(row.scale));
  }
  return scores;
}

template <typename Number>
void normalise(AttentionPartial<Number>& partial, Number sum) {
  for (Number& number : partial.out) number = rounded_quotient(number, sum);
}

}  // namespace

template <typename Number>
SplitAttention<Number>::SplitAttention(SplitAttentionPlan plan)
    : plan_(plan), tokens_(std::move(plan.tokens)) {}

template <typename Number>
AttentionPartial<Number> SplitAttention<Number>::partial_of(std::size_t split, std::span<const Number> scores,
                                                            const AttentionRow& row) const {
  AttentionPartial<Number> partial;
  partial.out.assign(at(row.value_dim), Number{});
  const auto& own = tokens_.plan().splits[split];
  if (own.empty()) return partial;
  partial.empty = false;
  Number maximum = scores[at(own[0])];
  for (const std::int32_t token : own) maximum = larger(maximum, scores[at(token)]);
  std::vector<Number> weights(scores.size()), products(scores.size());
  for (const std::int32_t token : own)
    weights[at(token)] = rounded_exponential(rounded_difference(scores[at(token)], maximum));
  const Number sum = tokens_.template local<Number>(split, weights);
  for (std::int64_t c = 0; c < row.value_dim; ++c) {
    for (const std::int32_t token : own)
      products[at(token)] = rounded_product(stored(plan_.weights, weights[at(token)]),
                                            given<Number>(row.values[at(token * row.value_dim + c)]));
    partial.out[at(c)] = tokens_.template local<Number>(split, products);
  }
  if (plan_.merge == AttentionMerge::log_sum_exp) {
    normalise(partial, sum);
    partial.log_sum_exp = rounded_sum(maximum, rounded_logarithm(sum));
  } else {
    partial.maximum = maximum;
    partial.sum = sum;
  }
  for (Number& number : partial.out) number = stored(plan_.tokens.partial, number);
  return partial;
}

template <typename Number>
std::vector<AttentionPartial<Number>> SplitAttention<Number>::partials(const AttentionRow& row) const {
  const std::vector<Number> scores = scores_of<Number>(row, tree_of(plan_.head_dim, row.head_dim));
  std::vector<AttentionPartial<Number>> all;
  for (std::size_t split = 0; split < tokens_.splits(); ++split)
    all.push_back(partial_of(split, scores, row));
  return all;
}

template <typename Number>
AttentionPartial<Number> SplitAttention<Number>::merged(std::span<const AttentionPartial<Number>> partials,
                                                        std::int64_t value_dim) const {
  return plan_.merge == AttentionMerge::log_sum_exp ? by_log_sum_exp(partials, value_dim)
                                                    : by_running_maximum(partials, value_dim);
}

template <typename Number>
AttentionPartial<Number> SplitAttention<Number>::by_log_sum_exp(
    std::span<const AttentionPartial<Number>> partials, std::int64_t value_dim) const {
  AttentionPartial<Number> result;
  result.out.assign(at(value_dim), Number{});
  Number largest{};
  for (const auto& partial : partials) {
    if (partial.empty) continue;
    largest = result.empty ? partial.log_sum_exp : larger(largest, partial.log_sum_exp);
    result.empty = false;
  }
  if (result.empty) return result;
  std::vector<Number> weights(partials.size()), weighted(partials.size());
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (!partials[s].empty)
      weights[s] = rounded_exponential(rounded_difference(partials[s].log_sum_exp, largest));
  }
  const Number sum = tokens_.template merged<Number>(weights);
  for (std::size_t c = 0; c < result.out.size(); ++c) {
    for (std::size_t s = 0; s < weights.size(); ++s)
      weighted[s] = rounded_product(weights[s], partials[s].out[c]);
    result.out[c] = tokens_.template merged<Number>(weighted);
  }
  normalise(result, sum);
  result.log_sum_exp = rounded_sum(largest, rounded_logarithm(sum));
  return result;
}

template <typename Number>
AttentionPartial<Number> SplitAttention<Number>::by_running_maximum(
    std::span<const AttentionPartial<Number>> partials, std::int64_t value_dim) const {
  const SumTree& merge = tokens_.plan().merge;
  std::vector<AttentionPartial<Number>> nodes;
  std::vector<Number> factors, terms;
  for (const SumTree::Node& node : merge.nodes()) {
    if (node.count == 0) {
      nodes.push_back(partials[at(node.term)]);
      continue;
    }
    const auto children = merge.children(node);
    AttentionPartial<Number> joined;
    joined.out.assign(at(value_dim), Number{});
    for (const std::int32_t child : children) {
      const auto& part = nodes[at(child)];
      if (part.empty) continue;
      joined.maximum = joined.empty ? part.maximum : larger(joined.maximum, part.maximum);
      joined.empty = false;
    }
    factors.assign(children.size(), Number{});
    for (std::size_t i = 0; i < children.size(); ++i) {
      const auto& part = nodes[at(children[i])];
      if (!part.empty) factors[i] = rounded_exponential(rounded_difference(part.maximum, joined.maximum));
    }
    const auto sum = [&](const auto& number_of) {
      terms.clear();
      for (std::size_t i = 0; i < children.size(); ++i)
        terms.push_back(accumulator_with(rounded_product(factors[i], number_of(nodes[at(children[i])]))));
      return terms.size() == 2 ? rounded_sum(terms[0], terms[1]) : fused_sum(std::span<const Number>(terms));
    };
    joined.sum = sum([](const auto& part) { return part.sum; });
    for (std::size_t c = 0; c < joined.out.size(); ++c)
      joined.out[c] = sum([c](const auto& part) { return part.out[c]; });
    nodes.push_back(std::move(joined));
  }
  AttentionPartial<Number> result;
  result.out.assign(at(value_dim), Number{});
  if (nodes.empty() || nodes.back().empty) return result;
  result = std::move(nodes.back());
  for (Number& number : result.out) number = accumulator_with(number);
  normalise(result, result.sum);
  result.log_sum_exp = rounded_sum(result.maximum, rounded_logarithm(result.sum));
  return result;
}

template class SplitAttention<float>;
template class SplitAttention<Bounded>;
template class SplitAttention<Likely>;

}  // namespace plumbline
