#pragma once

#include "oracle/replay/recorded_forward.h"
#include "oracle/replay/tap_report.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// What of a capture is replayed.
struct ReplayOptions {
  std::function<bool(const std::string& tap)> wanted;  ///< by the tap's name; empty: all
  std::optional<std::int64_t> layer;                   ///< only this layer's taps and states
  bool stop_at_first = false;                          ///< nothing after the first tap beyond its bound
};

/// A result that several taps show, computed once per sequence.
template <typename Result>
class OncePerSequence {
 public:
  explicit OncePerSequence(std::function<Result(const LiveTokens&)> compute) : compute_(std::move(compute)) {}
  const Result& operator()(const LiveTokens& live) {
    auto found = results_.find(live.batch);
    if (found == results_.end()) found = results_.emplace(live.batch, compute_(live)).first;
    return found->second;
  }

 private:
  std::function<Result(const LiveTokens&)> compute_;
  std::map<std::int64_t, Result> results_;
};

/// Compares our result of one step with the capture's, sequence by sequence, where the capture has the tap
/// and the options want it.
class TapCollector {
 public:
  TapCollector(const ReplayOptions& options, std::vector<TapReport>& reports)
      : options_(options), reports_(reports) {}

  bool stopped() const { return stopped_; }
  /// Taps ("0000 model.layers.0.mlp/out") whose inputs the capture lacks: not compared.
  const std::vector<std::string>& without_inputs() const { return without_inputs_; }
  bool wants(const RecordedForward& forward, const std::string& dataset) const;

  using Ours = std::function<Rows<Bounded>(const LiveTokens&)>;
  using Theirs = std::function<Rows<double>(const LiveTokens&)>;

  /// A tap laid out by tokens; each token holds `split` rows.
  void compare(const RecordedForward& forward, const std::string& dataset, const std::string& operation,
               std::int64_t split, const Ours& ours);
  /// A dataset of `rows` rows a sequence that is not laid out by tokens.
  void compare_whole(const RecordedForward& forward, const std::string& dataset, const std::string& operation,
                     std::int64_t rows, const Ours& ours);
  struct Layout {
    std::int64_t split = 1;  ///< rows a token
    bool from_call = false;  ///< tokens count from this call's first; else from the sequence's
  };
  /// A dataset that `theirs` reads.
  void compare_read(const RecordedForward& forward, const std::string& dataset, const std::string& operation,
                    Layout layout, const Ours& ours, const Theirs& theirs);

 private:
  void add(const RecordedForward& forward, const std::string& dataset, const std::string& operation,
           const Ours& ours, const Theirs& theirs, Layout layout);

  const ReplayOptions& options_;
  std::vector<TapReport>& reports_;
  std::vector<std::string> without_inputs_;
  bool stopped_ = false;
};

/// "model.layers.3.mlp/out" of "taps/model.layers.3.mlp/out"; other datasets keep their path.
std::string tap_name(const std::string& dataset);
/// The layer a tap's or state's name speaks of.
std::optional<std::int64_t> layer_of_tap(const std::string& name);

}  // namespace plumbline
