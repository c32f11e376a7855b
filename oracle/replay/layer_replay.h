#pragma once

#include "oracle/replay/recorded_forward.h"
#include "oracle/replay/tap_report.h"
#include "reference/model/engine_arithmetic.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"
#include "reference/model/rope.h"

#include <functional>
#include <string>
#include <vector>

namespace plumbline {

/// What every step of a teacher-forced replay works with.
struct ReplayContext {
  const ModelConfig& config;
  const ModelWeights& weights;
  EngineArithmetic arithmetic;
  ExpertSum expert_sum = ExpertSum::ascending_stored;
  const RotaryFrequencies& frequencies;
};

/// Compares our result of one step with the capture's, sequence by sequence, where the capture has the tap.
class TapCollector {
 public:
  explicit TapCollector(std::vector<TapReport>& reports) : reports_(reports) {}
  template <typename Compute>
  void compare(const RecordedForward& forward, const std::string& dataset, const std::string& operation,
               std::int64_t split, Compute&& compute) {
    if (!forward.has(dataset)) return;
    TapComparison comparison(forward.name(), name_of_tap(dataset), operation, forward.dtype(dataset));
    for (const LiveTokens& live : forward.sequences()) {
      comparison.add(compute(live), forward.live_rows(dataset, live, split), live.batch, live.first);
    }
    reports_.push_back(comparison.report());
  }
  /// The same for a dataset of `rows` rows a sequence that is not laid out by tokens.
  template <typename Compute>
  void compare_whole(const RecordedForward& forward, const std::string& dataset, const std::string& operation,
                     std::int64_t rows, Compute&& compute) {
    if (!forward.has(dataset)) return;
    TapComparison comparison(forward.name(), name_of_tap(dataset), operation, forward.dtype(dataset));
    for (const LiveTokens& live : forward.sequences()) {
      comparison.add(compute(live), forward.whole(dataset, live.batch, rows), live.batch, 0);
    }
    reports_.push_back(comparison.report());
  }

 private:
  static std::string name_of_tap(const std::string& dataset) {
    return dataset.starts_with("taps/") ? dataset.substr(5) : dataset;
  }
  std::vector<TapReport>& reports_;
};

/// One forward call and the one before it over the same cache (null for the first).
struct ReplayStep {
  const RecordedForward& forward;
  const RecordedForward* before;
};

// The parts of a layer; each compares what the capture has of it.
void replay_residuals(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                      TapCollector& taps);
void replay_ple(const ReplayContext& context, const ReplayStep& step, std::int64_t layer, TapCollector& taps);
void replay_delta_net(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                      TapCollector& taps);
void replay_attention(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                      TapCollector& taps);
void replay_experts(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                    TapCollector& taps);

/// A recorded convolution state [channels, times] as [times, channels].
Rows<Bounded> by_time(const Rows<Bounded>& by_channel);
/// "taps/model.layers.3" + suffix.
std::string layer_tap(std::int64_t layer, const std::string& suffix);
/// The recorded rows of a tap, known exactly.
Rows<Bounded> recorded(const RecordedForward& forward, const std::string& dataset, const LiveTokens& live,
                       std::int64_t split = 1);

}  // namespace plumbline
