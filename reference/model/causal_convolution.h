#pragma once

#include "reference/model/engine_arithmetic.h"
#include "reference/model/rows.h"

#include <vector>

namespace plumbline {

/// Depthwise causal convolution: one filter of `taps` weights per channel, `dilation` tokens apart.
struct ConvolutionWeights {
  std::int64_t taps = 4, dilation = 1;
  std::vector<double> filter;  ///< [channels, taps]; the last tap meets the current token

  /// Tokens before the current one that the filter reaches.
  std::int64_t history() const { return (taps - 1) * dilation; }
};

/// out[t, c] = Σ_k filter[c, k]·x[t − (taps − 1 − k)·dilation, c], k ascending, before any activation.
/// The result is rounded to storage where `stored`. `history` [history(), channels] holds what came before x
/// (zeros at the start of a sequence) and is moved on past x.
template <typename Number>
Rows<Number> causal_convolution(const Rows<Number>& x, const ConvolutionWeights& weights, bool stored,
                                const BasicEngineArithmetic<Number>& arithmetic, Rows<Number>& history);

}  // namespace plumbline
