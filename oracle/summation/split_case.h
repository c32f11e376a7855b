#pragma once

#include "fixtures/cases/random.h"
#include "reference/summation/rank_reduction.h"
#include "reference/summation/split_attention.h"
#include "reference/summation/split_plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// The split reductions of the model (MODEL.md §2–3).
enum class Reduction : std::uint8_t { score, attention, o_proj, moe_down, delta_state };
std::string_view name_of(Reduction reduction);
std::span<const Reduction> all_reductions();

/// What the numbers of a case are like.
enum class SplitData : std::uint8_t {
  constant,     ///< every term the same
  same_sign,    ///< positive, uniform
  random_sign,  ///< standard normal
  wide,         ///< random signs and exponents
  cancelling,   ///< terms come in pairs that all but cancel
};
std::string_view name_of(SplitData data);
std::span<const SplitData> all_split_data();

/// How large a case is, and what its plan may be. Unset: drawn.
struct SplitShape {
  std::int64_t terms = 0;   ///< head dimension, tokens, inner dimension; 0: drawn
  std::int64_t splits = 0;  ///< 0: drawn
  bool plain = false;       ///< contiguous splits, float32 partials, local order and merge sequential
};

/// One split reduction: a plan and plain numbers of a 16-bit or 32-bit type, all from one seed.
struct SplitCase {
  Reduction reduction = Reduction::score;
  SplitData data = SplitData::constant;
  std::uint64_t seed = 0;
  SplitPlan plan;
  AttentionMerge attention_merge = AttentionMerge::log_sum_exp;
  DType attention_weights = DType::float32;
  SumOrder head_dim_order;
  RankOrder rank_order = RankOrder::tree;
  std::int64_t terms = 0;          ///< that the plan splits
  std::int64_t inner = 1;          ///< heads (score), head dimension (attention), experts (moe_down), key dim
  std::int64_t outputs = 1;        ///< value dimension (attention, delta_state), outputs of a projection
  DType storage = DType::float32;  ///< of the numbers
  /// query [heads, dim] or [head_dim]; activations [experts, terms]; keys [tokens, key dim].
  std::vector<float> left;
  /// key [dim]; keys [tokens, head_dim]; weights [experts, outputs, terms]; writes [tokens, outputs].
  std::vector<float> right;
  std::vector<float> values;   ///< attention: [tokens, outputs]
  std::vector<float> factors;  ///< router weights of the experts; log decays of the tokens

  std::string describe() const;
};

SplitCase make_split_case(Reduction reduction, SplitData data, std::uint64_t seed,
                          const SplitShape& shape = {});

/// What goes wrong with the partial of one split.
struct SplitFault {
  enum class Kind : std::uint8_t { none, dropped, doubled, scaled };
  Kind kind = Kind::none;
  std::size_t split = 0;
  float factor = 1;  ///< of `scaled`
};

/// The case's outputs in the plan's arithmetic; what an all-reduce leaves on rank 0.
template <typename Number>
std::vector<Number> split_outputs(const SplitCase& one, const SplitFault& fault = {});

/// The outputs without any splits: exact sums of products, or, where an exponential takes part, doubles.
struct ExactOutput {
  double value = 0;
  double error = 0;   ///< of the double arithmetic; of an exact sum the rounding to double
  float nearest = 0;  ///< the float32 next to it
};
std::vector<ExactOutput> exact_outputs(const SplitCase& one);
/// Σ_experts factor·(x·Wᵀ), exact.
std::vector<ExactOutput> exact_projection(std::span<const Projection> experts, std::int64_t outputs);

}  // namespace plumbline
