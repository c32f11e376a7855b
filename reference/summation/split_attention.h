#pragma once

#include "reference/summation/split_plan.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// What a split of the tokens hands on, and how that is merged.
enum class AttentionMerge : std::uint8_t {
  /// Normalised outputs and log-sum-exps: weights e^(lse − max lse), whose sum divides at the end.
  log_sum_exp,
  /// Outputs not yet normalised, with maximum and sum: rescaled to the larger maximum at every node.
  running_maximum,
};

struct SplitAttentionPlan {
  SplitPlan tokens;   ///< partials: the outputs; maxima, sums and lse stay float32
  SumOrder head_dim;  ///< of q·k
  AttentionMerge merge = AttentionMerge::log_sum_exp;
  DType weights = DType::float32;  ///< e^(score − max) is stored in it before it multiplies a value
};

/// One query head over a list of tokens, all float32 values (of 16-bit tensors: decoded).
struct AttentionRow {
  std::span<const float> query;   ///< [head_dim]
  std::span<const float> keys;    ///< [tokens, head_dim]
  std::span<const float> values;  ///< [tokens, value_dim]
  std::int64_t tokens = 0, head_dim = 0, value_dim = 0;
  float scale = 1;  ///< of q·k
};

template <typename Number>
struct AttentionPartial {
  bool empty = true;  ///< no token: output +0, lse -infinity
  std::vector<Number> out;
  Number log_sum_exp{};     ///< of AttentionMerge::log_sum_exp
  Number maximum{}, sum{};  ///< of AttentionMerge::running_maximum
};

/// Softmax attention in float32 steps of a written order: scores, scaled; e^(score − maximum of the split);
/// their sum and their products with the values in the plan's order.
template <typename Number>
class SplitAttention {
 public:
  explicit SplitAttention(SplitAttentionPlan plan);

  std::vector<AttentionPartial<Number>> partials(const AttentionRow& row) const;
  /// Output and log-sum-exp; of empty splits alone: 0 and `empty`.
  AttentionPartial<Number> merged(std::span<const AttentionPartial<Number>> partials,
                                  std::int64_t value_dim) const;
  AttentionPartial<Number> operator()(const AttentionRow& row) const {
    return merged(partials(row), row.value_dim);
  }

 private:
  AttentionPartial<Number> partial_of(std::size_t split, std::span<const Number> scores,
                                      const AttentionRow& row) const;
  AttentionPartial<Number> by_log_sum_exp(std::span<const AttentionPartial<Number>> partials,
                                          std::int64_t value_dim) const;
  AttentionPartial<Number> by_running_maximum(std::span<const AttentionPartial<Number>> partials,
                                              std::int64_t value_dim) const;

  SplitAttentionPlan plan_;
  SplitSum tokens_;
};

}  // namespace plumbline
