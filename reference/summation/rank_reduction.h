#pragma once

#include "reference/summation/split_plan.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace plumbline {

/// In which order an all-reduce adds what its ranks hold of one element.
enum class RankOrder : std::uint8_t {
  /// Elements are cut into as many chunks as there are ranks; chunk c starts at rank c + 1, goes round and
  /// ends at rank c, which hands the sum to all.
  ring,
  tree,       ///< halves of the ranks, pairwise; the root hands the sum to all
  own_first,  ///< every rank fetches all partials and adds its own first: ranks may get different bits
};
std::string_view name_of(RankOrder order);

/// The order in which `rank` gets its sum of `element` out of `elements`.
SumTree rank_tree(RankOrder order, std::int64_t ranks, std::int64_t rank, std::int64_t element,
                  std::int64_t elements);

/// What `rank` holds after the all-reduce of `partials`, [ranks][elements].
template <typename Number>
std::vector<Number> all_reduced(RankOrder order, std::int64_t rank,
                                const std::vector<std::vector<Number>>& partials);

/// A projection whose inner dimension lies on several ranks (o_proj, the experts' down projection).
struct RankPlan {
  Partition inner;  ///< inner dimension of each rank
  SumOrder local;
  DType partial = DType::float32;  ///< what the ranks exchange
};

/// One expert's (or the only) projection of one token: x [inner] and the weight [outputs, inner], and the
/// factor of what it gives.
struct Projection {
  std::span<const float> x, weight;
  float factor = 1;
};

/// Each rank's Σ_experts factor·(x·Wᵀ over its part of the inner dimension), the experts in their order;
/// stored. [ranks][outputs].
template <typename Number>
std::vector<std::vector<Number>> rank_partials(const RankPlan& plan, std::span<const Projection> experts,
                                               std::int64_t outputs);

}  // namespace plumbline
