#pragma once

#include "reference/model/engine_arithmetic.h"
#include "reference/model/rows.h"

namespace plumbline {

/// Most tokens of a chunk.
constexpr std::int64_t kDeltaRuleChunk = 64;

/// One value head's inputs to the gated delta rule (MODEL.md §2, GDN), T tokens; all in float32.
template <typename Number>
struct DeltaRuleInputs {
  Rows<Number> query, key;          ///< [T, key dim], l2-normalised; the query already scaled
  Rows<Number> value;               ///< [T, value dim]
  std::vector<Number> beta, decay;  ///< [T]: write strength in (0, 1), log decay g ≤ 0
};

/// S ← e^g·S; S ← S + k ⊗ β·(v − Sᵀk); o = Sᵀq, token by token. `state` [key dim, value dim] is S, moved on
/// in place. Returns o, [T, value dim].
template <typename Number>
Rows<Number> delta_rule_recurrent(const DeltaRuleInputs<Number>& inputs,
                                  const BasicEngineArithmetic<Number>& arithmetic, Rows<Number>& state);

/// The same function in chunks (delta_rule_chunk.h) of at most `chunk` ≤ kDeltaRuleChunk tokens from the
/// first one on.
template <typename Number>
Rows<Number> delta_rule_chunked(const DeltaRuleInputs<Number>& inputs, std::int64_t chunk,
                                const BasicEngineArithmetic<Number>& arithmetic, Rows<Number>& state);

}  // namespace plumbline
