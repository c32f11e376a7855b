#pragma once

#include "reference/model/engine_arithmetic.h"
#include "reference/model/rows.h"
#include "reference/numeric/linear.h"

#include <optional>
#include <vector>

namespace plumbline {

/// Weights of one GatedResidual ("hyper-connection", MODEL.md §2): streams G of width H, low rank R.
struct GatedResidualWeights {
  std::int64_t streams = 4;  ///< G
  double epsilon = 1e-6;
  std::vector<double> norm;            ///< [G·H]
  LinearWeight down;                   ///< [R, G·H]
  LinearWeight up;                     ///< [G·H, R]
  std::optional<LinearWeight> inject;  ///< [G, G·H]; the final mixer has none
};

template <typename Number>
struct MixedStreams {
  Rows<Number> input;      ///< [tokens, H], what the block works on
  Rows<Number> injection;  ///< [tokens, G], how much of its output each stream takes; empty without `inject`
};

/// Reads a block's input out of the streams h [tokens, G·H]: n = groupwise RMSNorm(h), gate =
/// σ(up·silu(down·n / G)), input = mean over streams of gate·n; injection = 2·σ(inject·n / G).
template <typename Number>
MixedStreams<Number> mix_streams(const Rows<Number>& streams, const GatedResidualWeights& weights,
                                 const BasicEngineArithmetic<Number>& arithmetic);

/// Adds a block's output [tokens, H] to the raw streams, weighted by `injection`, in place.
template <typename Number>
void inject_into_streams(const Rows<Number>& output, const Rows<Number>& injection,
                         const BasicEngineArithmetic<Number>& arithmetic, Rows<Number>& streams);

/// RMSNorm of each of `groups` equal parts of a row, with one weight over the whole row.
template <typename Number>
Rows<Number> grouped_rmsnorm(const Rows<Number>& x, std::span<const double> weight, std::int64_t groups,
                             double epsilon, const BasicEngineArithmetic<Number>& arithmetic);

}  // namespace plumbline
