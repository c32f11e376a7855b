#pragma once

#include "fixtures/tensor.h"
#include "reference/model/bounded.h"
#include "reference/model/engine_arithmetic.h"
#include "reference/model/indexer_config.h"
#include "reference/model/rope.h"

#include <span>
#include <vector>

namespace plumbline {

/// What one QSA layer's indexer multiplies with. The projection is applied before (index_projection.h).
struct IndexerWeights {
  std::vector<double> query_norm, key_norm;  ///< [index_head_dim], applied as 1 + w
  RotaryFrequencies frequencies;
};

/// The QSA indexer of MODEL.md §2 from the projection's output on: what is ranked, rounded as one engine
/// rounds.
class QsaIndexer {
 public:
  /// Throws InputError when a weight's size does not fit the config.
  QsaIndexer(const IndexerConfig& config, IndexerWeights weights, const RoundingProfile& profile);

  const IndexerConfig& config() const { return config_; }
  const EngineArithmetic& arithmetic() const { return arithmetic_; }

  /// The queries' norm alone, [tokens, heads, dim]: what a tap behind it shows.
  BoundedTensor normed_queries(const TensorView& projected) const;
  /// Normed and rotated queries, [tokens, heads, dim], of `projected` [tokens, heads, dim] at their
  /// coordinates.
  BoundedTensor queries(const TensorView& projected, std::span<const Coordinates> coordinates) const;
  /// The key of one block: the mean of its raw keys [ratio, dim], normed, and rotated at its first member's
  /// coordinates. `out` has dim elements.
  void block_key(const TensorView& raw, const Coordinates& first, std::span<Bounded> out) const;

 private:
  std::vector<Bounded> normed_head(const TensorView& projected, std::int64_t token, std::int64_t head) const;

  IndexerConfig config_;
  IndexerWeights weights_;
  EngineArithmetic arithmetic_;
};

}  // namespace plumbline
