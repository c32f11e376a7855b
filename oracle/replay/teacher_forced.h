#pragma once

#include "fixtures/capture/model_capture.h"
#include "oracle/replay/tap_collector.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"
#include "reference/model/rounding_profile.h"

#include <memory>
#include <string>
#include <vector>

namespace plumbline {

/// A capture's model; tests replay with a faulty one.
struct ReplayModel {
  ModelConfig config;
  ModelWeights weights;
};
/// Throws InputError when the capture's config or weights are of no use.
ReplayModel load_replay_model(const ModelCapture& capture);

/// Replays a capture operation by operation, each on the capture's own inputs, so that errors do not add up.
class TeacherForcedReplay {
 public:
  /// Throws InputError as load_replay_model does.
  TeacherForcedReplay(const ModelCapture& capture, const RoundingProfile& profile);
  TeacherForcedReplay(const ModelCapture& capture, const RoundingProfile& profile, ReplayModel model);
  ~TeacherForcedReplay();

  /// Every tap, state and logit of every call, in the model's order; taps the capture lacks are left out.
  std::vector<TapReport> run(const ReplayOptions& options = {});
  /// Taps of the last run that were not compared, since the capture lacks what goes into them.
  const std::vector<std::string>& without_inputs() const;

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

/// How a capture's engine adds up the experts, by its experts_implementation.
ExpertSum expert_sum_of(const CaptureInfo& info);

/// Where a kind A capture's parameters come from.
WeightSource weights_of(const ModelCapture& capture);

}  // namespace plumbline
