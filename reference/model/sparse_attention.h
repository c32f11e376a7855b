#pragma once

#include "reference/model/engine_arithmetic.h"
#include "reference/model/rows.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plumbline {

/// Heads of one attention layer; query head h reads key/value head h div (heads / key_value_heads).
struct AttentionGeometry {
  std::int64_t heads = 24, key_value_heads = 2, head_dim = 256;
  std::optional<double> softmax_scale = {};  ///< of q·k; 1 / √head_dim where there is none

  double scale() const;
};

/// One query row over a list of tokens (MODEL.md §2, QSA attention): per head
/// softmax(q·k·scale over `tokens`)·v. `query` [heads·head_dim], `keys` and `values` [cached tokens,
/// key_value_heads·head_dim], `out` like `query`. The list is read in its own order; an empty list gives 0.
template <typename Number>
void sparse_attention(std::span<const Number> query, const Rows<Number>& keys, const Rows<Number>& values,
                      std::span<const std::int32_t> tokens, const AttentionGeometry& geometry,
                      const BasicEngineArithmetic<Number>& arithmetic, std::span<Number> out);

/// out ⊙ σ(gate), in place; both [heads·head_dim].
template <typename Number>
void apply_output_gate(std::span<const Number> gate, const BasicEngineArithmetic<Number>& arithmetic,
                       std::span<Number> out);

/// What one query row multiplies the values of `tokens` with, [heads, tokens]: normalised, and rounded to
/// storage where the engine stores it.
void attention_weights(std::span<const Bounded> query, const Rows<Bounded>& keys,
                       std::span<const std::int32_t> tokens, const AttentionGeometry& geometry,
                       const EngineArithmetic& arithmetic, std::span<Bounded> out);

}  // namespace plumbline
