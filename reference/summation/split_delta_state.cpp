#include "reference/summation/split_delta_state.h"

#include "fixtures/error.h"

#include <utility>

namespace plumbline {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Splits [first, last) that a merge's node covers.
struct Covered {
  std::int32_t first = 0, last = 0;
};

void check_neighbours(const SplitPlan& plan) {
  const auto refuse = [](const char* why) {
    throw InputError(std::string("split plan: the state of a delta net needs ") + why);
  };
  std::int32_t next = 0;
  for (const auto& split : plan.splits) {
    for (const std::int32_t token : split) {
      if (token != next++) refuse("chunks of tokens in their order");
    }
  }
  std::vector<Covered> nodes;
  for (const SumTree::Node& node : plan.merge.nodes()) {
    if (node.count == 0) {
      nodes.push_back({node.term, node.term + 1});
      continue;
    }
    const auto children = plan.merge.children(node);
    if (node.count != 2 || nodes[at(children[0])].last != nodes[at(children[1])].first)
      refuse("a merge of two neighbouring chunks at a time, the earlier one first");
    nodes.push_back({nodes[at(children[0])].first, nodes[at(children[1])].last});
  }
}

}  // namespace

template <typename Number>
SplitDeltaState<Number>::SplitDeltaState(SplitPlan plan) : chunks_(std::move(plan)) {
  check_neighbours(chunks_.plan());
}

template <typename Number>
std::vector<DeltaPartial<Number>> SplitDeltaState<Number>::partials(const DeltaWrites& writes) const {
  std::vector<DeltaPartial<Number>> all(chunks_.splits());
  std::vector<Number> so_far(at(writes.tokens)), left(at(writes.tokens)), terms(at(writes.tokens));
  for (std::size_t chunk = 0; chunk < all.size(); ++chunk) {
    DeltaPartial<Number>& partial = all[chunk];
    partial.state.assign(at(writes.key_dim * writes.value_dim), Number{});
    const auto& own = chunks_.plan().splits[chunk];
    for (const std::int32_t token : own) {
      partial.decay = rounded_sum(partial.decay, given<Number>(writes.decay[at(token)]));
      so_far[at(token)] = partial.decay;
    }
    for (const std::int32_t token : own)
      left[at(token)] = rounded_exponential(rounded_difference(partial.decay, so_far[at(token)]));
    for (std::int64_t k = 0; k < writes.key_dim; ++k) {
      for (std::int64_t v = 0; v < writes.value_dim; ++v) {
        for (const std::int32_t token : own) {
          const Number key =
              rounded_product(given<Number>(writes.keys[at(token * writes.key_dim + k)]), left[at(token)]);
          terms[at(token)] =
              rounded_product(key, given<Number>(writes.writes[at(token * writes.value_dim + v)]));
        }
        partial.state[at(k * writes.value_dim + v)] =
            stored(chunks_.plan().partial, chunks_.template local<Number>(chunk, terms));
      }
    }
  }
  return all;
}

template <typename Number>
std::vector<Number> SplitDeltaState<Number>::merged(std::span<const DeltaPartial<Number>> partials) const {
  const SumTree& merge = chunks_.plan().merge;
  std::vector<DeltaPartial<Number>> nodes;
  for (const SumTree::Node& node : merge.nodes()) {
    if (node.count == 0) {
      nodes.push_back(partials[at(node.term)]);
      continue;
    }
    const auto children = merge.children(node);
    const DeltaPartial<Number>&before = nodes[at(children[0])], &after = nodes[at(children[1])];
    DeltaPartial<Number> joined;
    joined.decay = rounded_sum(before.decay, after.decay);
    const Number kept = rounded_exponential(after.decay);
    for (std::size_t i = 0; i < before.state.size(); ++i)
      joined.state.push_back(
          rounded_sum(accumulator_with(rounded_product(before.state[i], kept)), after.state[i]));
    nodes.push_back(std::move(joined));
  }
  return nodes.empty() ? std::vector<Number>{} : std::move(nodes.back().state);
}

template class SplitDeltaState<float>;
template class SplitDeltaState<Bounded>;
template class SplitDeltaState<Likely>;

}  // namespace plumbline
