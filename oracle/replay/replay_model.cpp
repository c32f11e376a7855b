#include "oracle/replay/replay_model.h"

namespace plumbline {

WeightSource weights_of(const ModelCapture& capture) {
  return {capture.info().path, [&capture](const std::string& name) { return capture.weight(name); },
          [&capture](const std::string& name) { return capture.has_weight(name); }};
}

ReplayModel load_replay_model(const ModelCapture& capture) {
  ModelConfig config = parse_model_config(capture.config_json(), capture.info().path);
  ModelWeights weights = load_model(config, weights_of(capture));
  return {std::move(config), std::move(weights)};
}

ExpertSum expert_sum_of(const CaptureInfo& info) {
  return info.experts_implementation == "eager" ? ExpertSum::ascending_stored : ExpertSum::at_once;
}

DeltaRuleForm delta_rule_of(const RoundingProfile& profile) {
  return profile.float32_arithmetic ? DeltaRuleForm::chunked : DeltaRuleForm::recurrent;
}

}  // namespace plumbline
