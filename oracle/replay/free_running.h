#pragma once

#include "fixtures/capture/model_capture.h"
#include "oracle/status.h"
#include "reference/model/qwen4_exp.h"
#include "reference/model/rounding_profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// Largest |Δlogit| a float32 capture may show; the project's own goal for its golden captures. Free-running
/// errors are measured against the `exact` profile, not propagated, so there is no derived bound to take.
constexpr double kFloat32LogitGoal = 5e-6;

/// A capture's logits beside ours, both from the tokens on.
struct FreeRunningReport {
  std::int64_t rows = 0;  ///< live tokens with logits
  std::int64_t argmax_equal = 0;
  double max_abs = 0;           ///< recorded against ours
  double max_abs_to_exact = 0;  ///< recorded against the `exact` profile: what the engine's rounding moved
  double ours_to_exact = 0;     ///< ours against the `exact` profile: what the profile's rounding moves

  /// A live position whose largest logit is another one.
  struct Parting {
    std::string forward;
    std::int64_t batch = 0, token = 0, recorded = 0, ours = 0;
    double margin = 0;  ///< recorded logit of the engine's token above that of ours
  };
  std::vector<Parting> partings;

  std::int64_t selections = 0;         ///< queries with a complete block, over all layers
  std::int64_t followed_at_ties = 0;   ///< another set, whose swapped blocks have the same exact score
  std::int64_t selections_parted = 0;  ///< another set for another reason; ours is used
  std::string first_parted_selection;  ///< "forward 0001, layer 3, batch row 0, call 12"

  Status status = Status::pass;
  std::string reason;  ///< why it is not PASS
};

/// Runs every live sequence through the model under `profile` and under `exact`. float32 captures FAIL when
/// an argmax differs or max_abs exceeds kFloat32LogitGoal. 16-bit captures FAIL where the argmax differs by a
/// margin above what rounding explains (max_abs_to_exact). VACUOUS without a live logit.
FreeRunningReport run_freely(const ModelCapture& capture, const RoundingProfile& profile);

/// The chunked form, whose grid starts at each call as engines have it; the recurrent one, which defines the
/// model, for `exact`.
DeltaRuleForm delta_rule_of(const RoundingProfile& profile);

}  // namespace plumbline
