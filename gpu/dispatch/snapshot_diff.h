#pragma once

#include "gpu/dispatch/snapshot.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::dispatch {

/// Rows whose routes differ; where the routes agree, rows whose layout differs; rows one side lacks. Reasons
/// of rejections may differ freely. A row's id is CASE@CAPABILITY/STAGE, CASE@CAPABILITY/layout or
/// CASE@CAPABILITY.
struct SnapshotDiff {
  struct Change {
    std::string id;
    std::string text;  ///< "ID: capability 7.5: BEFORE -> AFTER"
    bool expected = false;
  };
  std::vector<Change> changes;            ///< in the order of the rows
  std::vector<std::string> not_happened;  ///< expected ids that did not change
  std::size_t compared = 0;               ///< rows that both sides have

  /// No change but the expected ones.
  bool clean() const;
};

SnapshotDiff diff(const Snapshot& before, const Snapshot& after, const std::set<std::string>& expected = {});

/// One line per change (unexpected ones marked where some were expected), then the expected ones that did not
/// happen, then a count.
std::string to_text(const SnapshotDiff& diff);

/// A JSON list of row ids. Throws std::invalid_argument ("NAME: …").
std::set<std::string> expected_from_json(std::string_view text, const std::string& name);

}  // namespace plumbline::dispatch
