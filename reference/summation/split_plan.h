#pragma once

#include "fixtures/dtype.h"
#include "reference/summation/ordered_evaluation.h"
#include "reference/summation/sum_order.h"
#include "reference/summation/sum_tree.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

/// The terms of each split, in the order the split reads them; a split may be empty.
using Partition = std::vector<std::vector<std::int32_t>>;

/// Split s holds [s·terms div splits, (s+1)·terms div splits) (ROUTES.md §4.3).
Partition contiguous_partition(std::int64_t terms, std::int64_t splits);
/// Split s holds s, s + splits, s + 2·splits, …
Partition strided_partition(std::int64_t terms, std::int64_t splits);

/// How a sum is split, as data: which split adds which terms, in which order, what its partial is stored in,
/// and in which order the partials are merged. A split without terms has the partial +0.
struct SplitPlan {
  Partition splits;
  SumOrder local;
  SumTree merge;  ///< over the splits
  DType partial = DType::float32;

  std::int64_t terms() const;
};

/// Throws InputError unless every term is in one split once, the merge has every split once, and partials are
/// float32, bf16 or fp16.
void check_plan(const SplitPlan& plan);

/// The order of all additions of the plan; additions of the +0 of empty splits are left out, as they change
/// nothing. What a probe finds where partials are stored in float32.
SumTree whole_tree(const SplitPlan& plan);

/// A plan ready to be used for many sums.
class SplitSum {
 public:
  explicit SplitSum(SplitPlan plan);

  const SplitPlan& plan() const { return plan_; }
  std::size_t splits() const { return plan_.splits.size(); }
  /// One split's terms, of all terms.
  template <typename Number>
  Number local(std::size_t split, std::span<const Number> terms) const {
    std::vector<Number> own;
    own.reserve(plan_.splits[split].size());
    for (const std::int32_t term : plan_.splits[split]) own.push_back(terms[static_cast<std::size_t>(term)]);
    return sum_in_order<Number>(orders_[split], own);
  }
  /// Partials in the order of the plan's merge.
  template <typename Number>
  Number merged(std::span<const Number> partials) const {
    return sum_in_order<Number>(plan_.merge, partials);
  }
  template <typename Number>
  std::vector<Number> partials(std::span<const Number> terms) const {
    std::vector<Number> all(splits());
    for (std::size_t split = 0; split < all.size(); ++split)
      all[split] = stored(plan_.partial, local<Number>(split, terms));
    return all;
  }
  template <typename Number>
  Number operator()(std::span<const Number> terms) const {
    return merged<Number>(partials<Number>(terms));
  }

 private:
  SplitPlan plan_;
  std::vector<SumTree> orders_;  ///< of each split, over positions in it
};

}  // namespace plumbline
