#pragma once

#include "fixtures/subject.h"
#include "reference/model/gated_delta_net.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"
#include "reference/model/qsa_attention.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace plumbline {

/// [tokens, 2560] made-up activations in bfloat16.
Rows<double> production_input(std::int64_t tokens);

/// One GDN layer of the released checkpoint's shape (MODEL.md §1), bfloat16, under hf_cuda's roundings.
class ProductionDeltaNet {
 public:
  ProductionDeltaNet();

  /// The layer on a new sequence.
  void run(const Rows<double>& x) const;
  /// Its widest projection alone.
  void project(const Rows<double>& x) const;
  /// Projections, convolution, and the chunked delta rule at full chunks.
  double operations(std::int64_t tokens) const;
  double projection_operations(std::int64_t tokens) const;

 private:
  BasicEngineArithmetic<double> arithmetic_;
  GatedDeltaNetWeights weights_;
};

/// One QSA layer of the same checkpoint.
class ProductionAttention {
 public:
  ProductionAttention();

  /// The layer on a new sequence; `watch` sees what its index scan ranks.
  void run(const Rows<double>& x, const QsaLayer::Watch& watch = {}) const;
  /// Projections, index scores of visible blocks, and attention over what is selected.
  double operations(std::int64_t tokens) const;

 private:
  BasicEngineArithmetic<double> arithmetic_;
  ModelConfig config_;
  QsaWeights weights_;
  std::unique_ptr<QsaLayer> layer_;
};

}  // namespace plumbline
