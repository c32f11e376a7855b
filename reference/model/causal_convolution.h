#pragma once

#include "reference/model/engine_arithmetic.h"
#include "reference/model/rows.h"

#include <vector>

namespace plumbline {

/// How many tokens the states of convolutions remember beyond their filters, so that they can be taken back.
constexpr std::int64_t kTakeBackReach = 64;

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

/// Keeps the kTakeBackReach inputs before those of the next `history`, for take_back(): called before
/// causal_convolution() with the same x and history.
template <typename Number>
void remember(Rows<Number>& earlier, const Rows<Number>& history, const Rows<Number>& x);
/// Moves `history` back over its last `tokens` ≤ earlier.rows inputs.
template <typename Number>
void take_back(Rows<Number>& earlier, Rows<Number>& history, std::int64_t tokens);

}  // namespace plumbline
