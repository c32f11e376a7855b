#pragma once

#include "reference/model/delta_rule.h"

namespace plumbline {

/// A chunk of the gated delta rule that grows by any number of tokens at a time: inside it the writes are
/// solved for at once (unit lower triangular system), and the state moves once, at its end. Row i depends on
/// the rows up to i alone, in sums whose order does not depend on the rows after it, so growing it token by
/// token or all at once gives the same bits, and taking tokens back leaves what never having had them does.
template <typename Number>
struct DeltaRuleChunk {
  Rows<Number> before;        ///< S before the chunk, [key dim, value dim]
  std::vector<Number> decay;  ///< running sum of g inside the chunk, one per token
  Rows<Number> keys;          ///< [tokens, key dim]
  Rows<Number> values;        ///< β·v, [tokens, value dim]
  Rows<Number> decayed_keys;  ///< β·k·e^decay, [tokens, key dim]
  Rows<Number> inverse;       ///< (I + A)⁻¹ for A[i, j] = β_i·(k_i·k_j)·e^(decay_i − decay_j), j < i
  Rows<Number> writes;        ///< what each token adds to the state at its key, [tokens, value dim]

  DeltaRuleChunk() = default;
  DeltaRuleChunk(Rows<Number> state, std::int64_t key_dim, std::int64_t value_dim);
  std::int64_t tokens() const { return keys.rows; }
};

/// Takes in tokens [first, first + count) of `inputs`, at most kDeltaRuleChunk in all, and writes their
/// outputs to those rows of `out`.
template <typename Number>
void append(DeltaRuleChunk<Number>& chunk, const DeltaRuleInputs<Number>& inputs, std::int64_t first,
            std::int64_t count, const BasicEngineArithmetic<Number>& arithmetic, Rows<Number>& out);

/// S after the chunk's tokens; `before` where it has none.
template <typename Number>
Rows<Number> state_after(const DeltaRuleChunk<Number>& chunk,
                         const BasicEngineArithmetic<Number>& arithmetic);

/// Keeps the first `tokens` tokens.
template <typename Number>
void truncate(DeltaRuleChunk<Number>& chunk, std::int64_t tokens);

}  // namespace plumbline
