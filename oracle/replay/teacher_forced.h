#pragma once

#include "fixtures/capture/model_capture.h"
#include "oracle/replay/tap_report.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"
#include "reference/model/rounding_profile.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace plumbline {

/// Replays a capture operation by operation, each on the capture's own inputs, so that errors do not add up.
class TeacherForcedReplay {
 public:
  /// Throws InputError when the capture's config or weights are of no use.
  TeacherForcedReplay(const ModelCapture& capture, const RoundingProfile& profile);
  ~TeacherForcedReplay();

  /// Every tap, state and logit of every call, in the model's order; taps the capture lacks are left out.
  std::vector<TapReport> run();

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

/// Where a kind A capture's parameters come from.
WeightSource weights_of(const ModelCapture& capture);

}  // namespace plumbline
