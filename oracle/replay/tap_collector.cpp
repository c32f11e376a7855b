#include "oracle/replay/tap_collector.h"

#include <charconv>

namespace plumbline {

std::string tap_name(const std::string& dataset) {
  return dataset.starts_with("taps/") ? dataset.substr(5) : dataset;
}

std::optional<std::int64_t> layer_of_tap(const std::string& name) {
  constexpr std::string_view kMark = "layers.";
  const std::size_t mark = name.find(kMark);
  if (mark == std::string::npos) return {};
  std::int64_t layer = 0;
  const char* first = name.data() + mark + kMark.size();
  return std::from_chars(first, name.data() + name.size(), layer).ec == std::errc() ? std::optional(layer)
                                                                                    : std::nullopt;
}

bool TapCollector::wants(const RecordedForward& forward, const std::string& dataset) const {
  if (stopped_ || !forward.has(dataset)) return false;
  const std::string name = tap_name(dataset);
  return (!options_.layer || layer_of_tap(name) == options_.layer) &&
         (!options_.wanted || options_.wanted(name));
}

void TapCollector::compare(const RecordedForward& forward, const std::string& dataset,
                           const std::string& operation, std::int64_t split, const Ours& ours) {
  add(forward, dataset, operation, ours,
      [&](const LiveTokens& live) { return forward.live_rows(dataset, live, split); }, {split, true});
}

void TapCollector::compare_whole(const RecordedForward& forward, const std::string& dataset,
                                 const std::string& operation, std::int64_t rows, const Ours& ours) {
  add(forward, dataset, operation, ours,
      [&](const LiveTokens& live) { return forward.whole(dataset, live.batch, rows); }, {1, false});
}

void TapCollector::compare_read(const RecordedForward& forward, const std::string& dataset,
                                const std::string& operation, Layout layout, const Ours& ours,
                                const Theirs& theirs) {
  add(forward, dataset, operation, ours, theirs, layout);
}

void TapCollector::add(const RecordedForward& forward, const std::string& dataset,
                       const std::string& operation, const Ours& ours, const Theirs& theirs, Layout layout) {
  if (!wants(forward, dataset)) return;
  TapComparison comparison(forward.name(), tap_name(dataset), operation, forward.dtype(dataset),
                           layout.split);
  try {
    for (const LiveTokens& live : forward.sequences()) {
      if (live.count == 0) continue;  // still padding: nothing of it is judged
      comparison.add(ours(live), theirs(live), live.batch, layout.from_call ? live.first : 0);
    }
  } catch (const MissingDataset&) {
    without_inputs_.push_back(forward.name() + " " + tap_name(dataset));
    return;
  }
  reports_.push_back(comparison.report());
  stopped_ = options_.stop_at_first && !reports_.back().within_bound();
}

}  // namespace plumbline
