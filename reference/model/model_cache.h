#pragma once

#include "reference/model/gated_delta_net.h"
#include "reference/model/ple_layer.h"
#include "reference/model/qsa_attention.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline {

/// Everything one sequence leaves behind in one layer.
struct LayerState {
  std::optional<PleState<double>> ple;
  std::optional<GatedDeltaNetState<double>> delta_net;
  std::optional<QsaState<double>> attention;
};

/// One sequence's cache; a function of its tokens and their coordinates alone (and, where the delta rule's
/// chunks start at each call, of where the calls ended). Prefill, chunks and decode are calls of
/// Qwen4Exp::forward() on it; a copy is a fork. It refers to the model it was made by, which must outlive it.
struct ModelCache {
  std::vector<LayerState> layers;
  std::int64_t tokens = 0;
  std::vector<std::int64_t> ids;            ///< [tokens]
  std::vector<Coordinates> coordinates;     ///< [tokens]
  std::vector<std::int64_t> calls;          ///< tokens of each call, in order
  std::optional<DeltaRuleForm> delta_rule;  ///< of the first call; one cache knows one form
};

}  // namespace plumbline
