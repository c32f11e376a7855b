#pragma once

#include "fixtures/capture/model_capture.h"
#include "oracle/replay/replay_model.h"
#include "oracle/replay/tap_collector.h"
#include "reference/model/rounding_profile.h"

#include <memory>
#include <string>
#include <vector>

namespace plumbline {

/// Replays a capture operation by operation, each on the capture's own inputs, so that errors do not add up.
class TeacherForcedReplay {
 public:
  /// Throws InputError as load_replay_model does.
  TeacherForcedReplay(const ModelCapture& capture, const RoundingProfile& profile);
  TeacherForcedReplay(const ModelCapture& capture, const RoundingProfile& profile, ReplayModel model);
  ~TeacherForcedReplay();

  /// Every tap, state and logit of every call, in the model's order; taps the capture lacks are left out.
  /// Throws InputError for a dataset of another size than the model gives.
  std::vector<TapReport> run(const ReplayOptions& options = {});
  /// Taps of the last run that were not compared, since the capture lacks what goes into them.
  const std::vector<std::string>& without_inputs() const;
  /// Taps of the last run that no step of the model gives ("0000 model.layers.3.self_attn/out.1").
  const std::vector<std::string>& unknown() const;

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace plumbline
