#pragma once

#include "reference/model/index_key_cache.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"
#include "reference/model/rope.h"

#include <functional>
#include <optional>
#include <vector>

namespace plumbline {

/// What one QSA layer keeps of a sequence.
template <typename Number>
struct QsaState {
  Rows<Number> keys, values;  ///< [tokens, key_value_heads·head_dim], normed and rotated keys
  std::vector<Coordinates> coordinates;
  std::optional<IndexKeyCache> index;  ///< raw and compressed index keys; made by the layer on first use

  /// Keeps the first `tokens` tokens.
  void truncate(std::int64_t tokens);
};

/// One QSA layer: weights, indexer and geometry, for any number of sequences.
class QsaLayer {
 public:
  QsaLayer(const ModelConfig& config, const QsaWeights& weights, std::span<const float> inverse_frequencies,
           const RoundingProfile& profile);

  /// Whether two blocks have the same exact score for the query at hand.
  using SameScore = std::function<bool(std::int32_t, std::int32_t)>;
  /// Chooses among a query's blocks: the canonical selection is given, another one may be returned (an
  /// engine's own choice among equal scores). `row` counts the queries of the call that have a complete
  /// block.
  using Choice = std::function<std::vector<std::int32_t>(
      std::int64_t row, const std::vector<std::int32_t>& canonical, const SameScore& same_score)>;

  /// Sees what the index scan of a call ranks; for measuring it apart.
  using Watch = std::function<void(const SelectInputs&)>;

  /// Of a sequence without tokens.
  template <typename Number>
  QsaState<Number> new_state() const {
    const std::int64_t width = config_->attention.key_value_heads * config_->attention.head_dim;
    return {Rows<Number>(0, width), Rows<Number>(0, width), {}, IndexKeyCache(indexer_)};
  }

  /// x [T, hidden] at their coordinates → [T, hidden]; moves `state` on.
  template <typename Number>
  Rows<Number> forward(const Rows<Number>& x, std::span<const Coordinates> coordinates,
                       const BasicEngineArithmetic<Number>& arithmetic, QsaState<Number>& state,
                       const Choice& choice = {}, const Watch& watch = {}) const;

 private:
  std::vector<std::vector<std::int32_t>> selections(const Tensor& projected,
                                                    std::span<const Coordinates> coordinates,
                                                    std::int64_t earlier, IndexKeyCache& index,
                                                    const Choice& choice, const Watch& watch) const;

  const ModelConfig* config_;
  const QsaWeights* weights_;
  std::vector<float> inverse_frequencies_;
  QsaIndexer indexer_;
};

}  // namespace plumbline
