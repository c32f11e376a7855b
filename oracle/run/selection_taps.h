#pragma once

#include "oracle/replay/recorded_forward.h"
#include "oracle/replay/tap_report.h"
#include "oracle/run/device_subjects.h"
#include "oracle/run/indexer_trial.h"

#include <functional>
#include <string>
#include <vector>

namespace plumbline {

/// One sparse layer of one forward call, ready to be scored.
struct SelectionCall {
  const RecordedForward& forward;
  SelectGeometry geometry;
  std::int64_t layer = 0;
  std::int64_t first_row = 0;  ///< of this layer in the call's selection datasets
  const TrialPages& pages;
  const TrialOutcome& outcome;  ///< the device's own queries and keys of the whole capture
  std::string capability;       ///< of the device: chooses the error model of scores

  /// The sequence's queries of this call that have a complete block.
  std::int64_t rows_of(const LiveTokens& live) const;
  std::int64_t rows() const;
};

using WantsTap = std::function<bool(const std::string& tap)>;

/// Top-k of a route on the recorded scores: the tap "selection/blocks". Throws UnsupportedCase, and
/// MissingDataset where none are recorded.
void replay_topk(SelectSubject& subject, const std::string& route, const SelectionCall& call,
                 const WantsTap& wants, std::vector<TapReport>& taps);

/// A route from queries and pages to tokens: "selection/scores", "selection/blocks" and the indexer's "/out".
/// Throws UnsupportedCase.
void replay_selection(SelectSubject& subject, const std::string& route, const SelectionCall& call,
                      const WantsTap& wants, std::vector<TapReport>& taps);

}  // namespace plumbline
