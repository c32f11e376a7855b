#pragma once

#include "fixtures/checkpoint/safetensors.h"
#include "reference/model/causal_convolution.h"
#include "reference/model/ngram_hash.h"
#include "reference/numeric/linear.h"

#include <span>
#include <vector>

namespace plumbline {

/// One per-layer embedding by n-gram hashes (MODEL.md §2, PLE); streams G of width H.
struct PleWeights {
  NgramShape shape;
  NgramTables tables;
  std::int64_t end_of_sequence = 0;
  std::int64_t streams = 4;
  double epsilon = 1e-6;
  std::int64_t head_width = 160;                               ///< columns of the n-gram table
  SharedTensor embedding;                                      ///< [table rows, head_width], read row by row
  LinearWeight key;                                            ///< [G·H, heads·head_width]
  LinearWeight value;                                          ///< [H, heads·head_width]
  std::vector<double> norm_key, norm_query, norm_convolution;  ///< [G·H]
  ConvolutionWeights convolution;                              ///< over G·H channels, dilation ngram_size
};

/// What a sequence leaves behind in one layer.
template <typename Number>
struct PleState {
  std::vector<std::int64_t> context;  ///< the last ngram_size − 1 token ids, oldest first
  Rows<Number> convolution;           ///< the last normed values [(taps − 1)·dilation, G·H]
  Rows<Number> earlier;               ///< values before those, as far as tokens can be taken back

  explicit PleState(const PleWeights& weights);
};

/// The embedding of each token: its heads' table rows side by side, [T, heads·head_width]. Moves `context`
/// on.
template <typename Number>
Rows<Number> ngram_embedding(std::span<const std::int64_t> tokens, const PleWeights& weights,
                             std::vector<std::int64_t>& context);

/// What the layer adds to the streams [T, G·H], from the streams and an embedding:
/// g = σ(sign(s)·√max(|s|, 1e-6)) with s = (norm_key(key·e) · norm_query(h)) / √H per stream; gv =
/// g·(value·e); out = gv + silu(conv(norm_conv(gv))). `earlier`, where given, keeps what take_back() of the
/// history needs.
template <typename Number>
Rows<Number> ple_layer(const Rows<Number>& streams, const Rows<Number>& embedding, const PleWeights& weights,
                       const BasicEngineArithmetic<Number>& arithmetic, Rows<Number>& convolution_history,
                       Rows<Number>* earlier = nullptr);

}  // namespace plumbline
