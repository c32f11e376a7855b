#pragma once

#include "fixtures/capture/model_capture.h"
#include "oracle/judge/judge_indexer.h"
#include "oracle/replay/free_running.h"
#include "oracle/replay/tap_collector.h"
#include "oracle/status.h"
#include "reference/model/rounding_profile.h"

#include <optional>
#include <string>
#include <vector>

namespace plumbline {

enum class ReplayMode : std::uint8_t { teacher, free };

/// One kind of step of one layer ("-" for what belongs to none), over all calls.
struct OperationSummary {
  std::string layer, operation;
  std::int64_t taps = 0, elements = 0, bit_equal = 0, beyond_bound = 0;
  std::int64_t max_ulp = 0;
  double max_partial_ulp = 0;
  double used_share = 0;  ///< the largest of its taps
  UlpHistogram ulp_histogram;

  double bit_equal_share() const;
};
/// In the order of first appearance.
std::vector<OperationSummary> summarise(const std::vector<TapReport>& taps, bool by_layer);

/// A tap that a subject was not put to, and why.
struct UnsupportedTap {
  std::string name, reason;
};

/// The outcome of `plumbline replay`.
struct ReplayReport {
  std::string file;
  std::string subject =
      "recorded";  ///< whose results the taps show: the capture's, or made anew on its inputs
  ReplayMode mode = ReplayMode::teacher;
  std::string profile, profile_reason;
  Status status = Status::pass;
  std::string reason;                       ///< why it is not PASS
  std::vector<TapReport> taps;              ///< teacher-forced only
  std::vector<std::string> without_inputs;  ///< taps the capture has without what goes into them
  std::vector<std::string> unknown;         ///< taps that no step of the model gives
  std::vector<UnsupportedTap> unsupported;  ///< taps of the capture that another subject does not compute
  std::optional<IndexerReport> selection;   ///< absent where a filter leaves it out
  std::optional<FreeRunningReport> free;    ///< free-running only

  /// The first tap beyond its bound, in the model's order; null when there is none.
  const TapReport* first_divergence() const;
};

struct ReplayRequest {
  ReplayMode mode = ReplayMode::teacher;
  std::string profile;  ///< empty: by the capture's producer
  ReplayOptions options;
  bool judge_selections = true;  ///< unless the options leave taps out
  int threads = 0;
};

/// Replays a kind A capture and judges it: FAIL at the first tap beyond its bound, a selection that is FAIL,
/// or free-running logits that part (see FreeRunningReport); VACUOUS when the capture has nothing to compare.
/// Throws InputError for a file that is no model capture, an unknown profile and a layer it lacks.
ReplayReport replay_capture(const std::string& path, const ReplayRequest& request);

}  // namespace plumbline
