#pragma once

#include "fixtures/capture/model_capture.h"
#include "reference/model/gated_delta_net.h"
#include "reference/model/mixture_of_experts.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"
#include "reference/model/rounding_profile.h"

namespace plumbline {

/// A capture's model; tests replay with a faulty one.
struct ReplayModel {
  ModelConfig config;
  ModelWeights weights;
};
/// Throws InputError when the capture's config or weights are of no use.
ReplayModel load_replay_model(const ModelCapture& capture);

/// Where a kind A capture's parameters come from.
WeightSource weights_of(const ModelCapture& capture);

/// How a capture's engine adds up the experts, by its experts_implementation.
ExpertSum expert_sum_of(const CaptureInfo& info);

/// The chunked form, whose grid starts at each call as engines have it; the recurrent one, which defines the
/// model, for `exact`.
DeltaRuleForm delta_rule_of(const RoundingProfile& profile);

}  // namespace plumbline
