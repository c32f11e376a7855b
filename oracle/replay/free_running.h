#pragma once

#include "fixtures/capture/model_capture.h"
#include "oracle/status.h"
#include "reference/model/model_config.h"
#include "reference/model/rounding_profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// A capture's logits beside ours, both from the tokens on.
struct FreeRunningReport {
  std::int64_t rows = 0;  ///< live tokens with logits
  std::int64_t argmax_equal = 0;
  double max_abs = 0;           ///< recorded against ours
  double bound = 0;             ///< what max_abs may be, see free_running_bound
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

  /// Where selections parted, the run once more with every recorded set followed: from a parting on the two
  /// runs attend different tokens, so this one is judged instead.
  struct Conditioned {
    std::int64_t argmax_equal = 0;
    double max_abs = 0, bound = 0;
  };
  std::optional<Conditioned> conditioned;

  Status status = Status::pass;
  std::string reason;  ///< why it is not PASS
};

/// How far an engine's logits may be from ours, both from the tokens on, when the profile's rounding moves
/// ours by `ours_to_exact`: a measured bound, not a propagated one. Ours has one rounding, of unit u,
/// wherever the engine stores; the engine's sums of n terms add about √n float32 roundings (Higham and Mary
/// 2019, A new approach to probabilistic rounding error analysis), so it lies up to 1 + √n·2^-24 / u times as
/// far from exact as ours, on the other side at worst. n is the longest sum of the model.
double free_running_bound(const ModelConfig& config, const RoundingProfile& profile, double ours_to_exact);

/// Runs every live sequence through the model under `profile` and under `exact`. FAIL when a logit is further
/// from ours than the bound, or the largest logit is another one by a margin above it. VACUOUS without a live
/// logit, or where ours are not finite. A wrong selection is the indexer judge's to find.
FreeRunningReport run_freely(const ModelCapture& capture, const RoundingProfile& profile);

}  // namespace plumbline
