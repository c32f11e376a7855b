#pragma once

#include "fixtures/capture/model_capture.h"
#include "reference/summation/rank_reduction.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// One projection of a captured layer over several ranks.
struct RankOutcome {
  std::string projection;  ///< "layer 3 o_proj", "layer 2 moe_down"
  std::int64_t ranks = 1;
  RankOrder order = RankOrder::ring;
  DType partial = DType::float32;  ///< what the ranks exchange
  std::int64_t tokens = 0, elements = 0;
  std::int64_t beyond = 0;        ///< further from the unsplit result than both bounds allow
  double share = 0;               ///< the largest deviation from the exact value, of its bound
  std::int64_t ranks_differ = 0;  ///< elements whose bits are not the same on all ranks
  std::string selects;            ///< what the output decides next: "experts of layer 3", "blocks of layer 3"
  std::int64_t selections_differ = 0;  ///< tokens that select otherwise on another rank
  std::int64_t selections_parted = 0;  ///< tokens that select otherwise than without ranks

  /// A ring or a tree hands the same sum to all ranks, so their bits and selections must agree.
  bool sound() const;
};

/// o_proj of the first sparse layer, and the experts' down projection of the layer before it, on the
/// capture's own inputs of its first call, with 1, 2, 3, 4 and 8 ranks in every order, in float32 and in the
/// model's storage type. What follows each projection (residual streams, router or indexer) is computed from
/// every rank's result. Throws InputError for a capture without the taps that takes, or whose first layer is
/// the sparse one.
std::vector<RankOutcome> try_ranks(const ModelCapture& capture);

}  // namespace plumbline
