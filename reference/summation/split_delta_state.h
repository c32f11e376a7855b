#pragma once

#include "reference/summation/split_plan.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// The state of a gated delta net after some tokens from what each of them writes (MODEL.md §2, GDN):
/// S = Σ_t e^(g_{t+1} + … + g_last)·k_t ⊗ w_t, one value head, S before the first token 0.
struct DeltaWrites {
  std::span<const float> keys;    ///< [tokens, key_dim]
  std::span<const float> writes;  ///< [tokens, value_dim]
  std::span<const float> decay;   ///< [tokens] log decays g ≤ 0
  std::int64_t tokens = 0, key_dim = 0, value_dim = 0;
};

/// A chunk's own state and the log decay over it.
template <typename Number>
struct DeltaPartial {
  std::vector<Number> state;  ///< [key_dim, value_dim], stored in the plan's partial type
  Number decay{};
};

/// The sum over chunks of tokens: within a chunk in the plan's local order; a later chunk decays what came
/// before it: S ← e^decay·S + S_chunk. The splits are contiguous and in order, and the merge adds neighbours
/// only, two at a time (a chain: the recurrence; any other tree: a parallel scan). Throws InputError
/// otherwise.
template <typename Number>
class SplitDeltaState {
 public:
  explicit SplitDeltaState(SplitPlan plan);
  std::vector<DeltaPartial<Number>> partials(const DeltaWrites& writes) const;
  std::vector<Number> merged(std::span<const DeltaPartial<Number>> partials) const;
  std::vector<Number> operator()(const DeltaWrites& writes) const { return merged(partials(writes)); }

 private:
  SplitSum chunks_;
};

}  // namespace plumbline
