#include "reference/summation/split_plan.h"

#include "fixtures/error.h"

#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

/// Whether `counted` holds every number below its size once.
bool each_once(const std::vector<int>& counted) {
  for (const int count : counted) {
    if (count != 1) return false;
  }
  return true;
}

bool count_into(std::vector<int>& counted, std::int32_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= counted.size()) return false;
  ++counted[static_cast<std::size_t>(index)];
  return true;
}

}  // namespace

Partition contiguous_partition(std::int64_t terms, std::int64_t splits) {
  Partition partition(static_cast<std::size_t>(splits));
  for (std::int64_t s = 0; s < splits; ++s) {
    auto& own = partition[static_cast<std::size_t>(s)];
    own.resize(static_cast<std::size_t>((s + 1) * terms / splits - s * terms / splits));
    std::iota(own.begin(), own.end(), static_cast<std::int32_t>(s * terms / splits));
  }
  return partition;
}

Partition strided_partition(std::int64_t terms, std::int64_t splits) {
  Partition partition(static_cast<std::size_t>(splits));
  for (std::int64_t term = 0; term < terms; ++term)
    partition[static_cast<std::size_t>(term % splits)].push_back(static_cast<std::int32_t>(term));
  return partition;
}

std::int64_t SplitPlan::terms() const {
  std::int64_t count = 0;
  for (const auto& split : splits) count += std::ssize(split);
  return count;
}

void check_plan(const SplitPlan& plan) {
  std::vector<int> terms(static_cast<std::size_t>(plan.terms())), splits(plan.splits.size());
  for (const auto& split : plan.splits) {
    for (const std::int32_t term : split) {
      if (!count_into(terms, term))
        throw InputError(fmt::format("split plan: term {} of {} terms", term, terms.size()));
    }
  }
  if (!each_once(terms)) throw InputError("split plan: a term is in two splits, or twice in one");
  for (const SumTree::Node& node : plan.merge.nodes()) {
    if (node.count == 0 && !count_into(splits, node.term))
      throw InputError(fmt::format("split plan: the merge adds split {} of {}", node.term, splits.size()));
  }
  if (!each_once(splits)) throw InputError("split plan: the merge does not add every split once");
  if (plan.partial != DType::float32 && plan.partial != DType::bfloat16 && plan.partial != DType::float16)
    throw InputError("split plan: partials are stored in float32, bf16 or fp16");
}

SumTree whole_tree(const SplitPlan& plan) {
  SumTree tree;
  const auto merge = plan.merge.nodes();
  std::vector<std::optional<std::int32_t>> built(merge.size());  // empty: nothing below has a term
  std::vector<std::int32_t> present;
  for (std::size_t i = 0; i < merge.size(); ++i) {
    if (merge[i].count == 0) {
      const auto& terms = plan.splits[static_cast<std::size_t>(merge[i].term)];
      if (!terms.empty()) built[i] = tree.add_tree(tree_of(plan.local, std::ssize(terms)), terms);
      continue;
    }
    present.clear();
    for (const std::int32_t child : plan.merge.children(merge[i])) {
      if (const auto& node = built[static_cast<std::size_t>(child)]) present.push_back(*node);
    }
    if (present.size() == 1) built[i] = present[0];
    if (present.size() > 1) built[i] = tree.add_node(present);
  }
  return tree;
}

SplitSum::SplitSum(SplitPlan plan) : plan_(std::move(plan)) {
  check_plan(plan_);
  for (const auto& split : plan_.splits) orders_.push_back(tree_of(plan_.local, std::ssize(split)));
}

}  // namespace plumbline
