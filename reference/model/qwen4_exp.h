#pragma once

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

/// Everything one sequence leaves behind in one layer; a function of its tokens alone. Copying it forks the
/// sequence.
struct LayerState {
  std::optional<PleState<double>> ple;
  std::optional<GatedDeltaNetState<double>> delta_net;
  std::optional<QsaState<double>> attention;
};

/// One sequence's cache: prefill, chunks and decode are calls of Qwen4Exp::forward() on it.
struct ModelCache {
  std::vector<LayerState> layers;
  std::int64_t tokens = 0;
};

struct ForwardOptions {
  /// The delta rule's form for calls of more than one token over a cache, and for the first call. A single
  /// token over a cache always takes the recurrent form.
  DeltaRuleForm delta_rule = DeltaRuleForm::recurrent;
  ExpertSum expert_sum = ExpertSum::ascending_stored;
  /// See QsaLayer::Choice; the first argument is the layer.
  std::function<std::vector<std::int32_t>(std::int64_t layer, std::int64_t row,
                                          const std::vector<std::int32_t>& canonical,
                                          const QsaLayer::SameScore& same_score)>
      choose_blocks;
  /// Called with each module's result, by the name a capture gives it ("model.layers.0/out").
  std::function<void(const std::string& tap, const Rows<double>& value)> observe;
};

/// The text model (MODEL.md §2) on one sequence at a time.
class Qwen4Exp {
 public:
  Qwen4Exp(ModelConfig config, ModelWeights weights, const RoundingProfile& profile);

  const ModelConfig& config() const { return config_; }
  ModelCache new_cache() const;

  /// Logits [T, vocab] of `tokens` at their coordinates, after what `cache` holds. Throws InputError for a
  /// token outside the vocabulary. No tokens give no rows.
  Rows<double> forward(std::span<const std::int64_t> tokens, std::span<const Coordinates> coordinates,
                       ModelCache& cache, const ForwardOptions& options = {}) const;

 private:
  void run_layer(std::int64_t layer, std::span<const std::int64_t> tokens,
                 std::span<const Coordinates> coordinates, std::int64_t earlier, LayerState& state,
                 const ForwardOptions& options, Rows<double>& streams) const;

  ModelConfig config_;
  ModelWeights weights_;
  BasicEngineArithmetic<double> arithmetic_;
  std::vector<std::unique_ptr<QsaLayer>> attention_;  // per layer; null for a delta net
};

}  // namespace plumbline
