#pragma once

#include "fixtures/capture/model_capture.h"
#include "reference/model/rows.h"
#include "reference/summation/rank_reduction.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace plumbline {

/// What one token multiplies: one projection, or one of every expert it chose.
struct TokenInput {
  std::vector<std::vector<float>> x;
  std::vector<std::shared_ptr<const std::vector<float>>> weights;  ///< [outputs, inner] each
  std::vector<float> factors;

  std::vector<Projection> projections() const;
};

/// What each token selects: experts, or blocks.
using Selections = std::vector<std::vector<std::int64_t>>;

/// A projection to be put on ranks, and what its output decides.
struct RankedProjection {
  std::string name;     ///< "layer 3 o_proj"
  std::string selects;  ///< "experts of layer 3"
  std::int64_t inner = 0, outputs = 0;
  std::int64_t granule = 1;  ///< neighbours that stay on one rank: a head
  std::vector<TokenInput> tokens;
  std::function<Selections(const Rows<double>& output)> select;  ///< of the output [tokens, outputs]

  /// Whole granules, as evenly as they go; a rank may have none.
  Partition on_ranks(std::int64_t ranks) const;
};

struct CapturedProjections {
  DType storage = DType::float32;  ///< of the model
  std::vector<RankedProjection> projections;
};

/// o_proj of the first sparse layer, and the experts' down projection of the layer before it, on the
/// capture's own inputs of its first call. What follows each (residual streams, then router or indexer) makes
/// its selections. Throws InputError for a capture without the taps that takes, or whose first layer is the
/// sparse one.
CapturedProjections captured_projections(const ModelCapture& capture);

}  // namespace plumbline
