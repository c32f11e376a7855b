#pragma once

#include "reference/model/model_cache.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"
#include "reference/model/qsa_attention.h"
#include "reference/model/rounding_profile.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

struct ForwardOptions {
  /// The delta rule's form. With `chunked`, a single token over a cache takes the recurrent form, as engines
  /// do.
  DeltaRuleForm delta_rule = DeltaRuleForm::chunked_on_grid;
  ExpertSum expert_sum = ExpertSum::ascending_stored;
  /// See QsaLayer::Choice; the first argument is the layer.
  std::function<std::vector<std::int32_t>(std::int64_t layer, std::int64_t row,
                                          const std::vector<std::int32_t>& canonical,
                                          const QsaLayer::SameScore& same_score)>
      choose_blocks = {};
  /// Called with each module's result, by the name a capture gives it ("model.layers.0/out").
  std::function<void(const std::string& tap, const Rows<double>& value)> observe = {};
};

/// The text model (MODEL.md §2) on one sequence at a time.
class Qwen4Exp {
 public:
  Qwen4Exp(ModelConfig config, ModelWeights weights, const RoundingProfile& profile);

  const ModelConfig& config() const { return config_; }
  ModelCache new_cache() const;

  /// Logits [T, vocab] of `tokens` at their coordinates, after what `cache` holds. No tokens give no rows and
  /// change nothing. Throws InputError, with the cache as it was, for a token outside the vocabulary or a
  /// form of the delta rule that is not the cache's.
  Rows<double> forward(std::span<const std::int64_t> tokens, std::span<const Coordinates> coordinates,
                       ModelCache& cache, const ForwardOptions& options = {}) const;

  /// Leaves the cache as if only the first `tokens` of its tokens had ever been given. A few tokens back on
  /// the chunk grid are cut off; otherwise the kept tokens are run again, with `options` and the calls they
  /// came in. Throws InputError for more tokens than the cache holds.
  void roll_back(ModelCache& cache, std::int64_t tokens, const ForwardOptions& options = {}) const;

 private:
  void run_layer(std::int64_t layer, std::span<const std::int64_t> tokens,
                 std::span<const Coordinates> coordinates, std::int64_t earlier, LayerState& state,
                 const ForwardOptions& options, Rows<double>& streams) const;

  void cut(ModelCache& cache, std::int64_t tokens) const;

  ModelConfig config_;
  ModelWeights weights_;
  BasicEngineArithmetic<double> arithmetic_;
  std::vector<std::unique_ptr<QsaLayer>> attention_;  // per layer; null for a delta net
};

}  // namespace plumbline
