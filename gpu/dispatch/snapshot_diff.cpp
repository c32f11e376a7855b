#include "gpu/dispatch/snapshot_diff.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace plumbline::dispatch {
namespace {

constexpr const char* kAbsent = "absent";

std::string route_in(const SnapshotRow& row, const std::string& stage) {
  const auto found = row.routes.find(stage);
  return found == row.routes.end() ? kAbsent : found->second;
}

class DiffWriter {
 public:
  explicit DiffWriter(const std::set<std::string>& expected) : expected_(expected) {}

  void change(const std::string& id, const std::string& capability, const std::string& before,
              const std::string& after) {
    changed_.insert(id);
    result_.changes.push_back({id, fmt::format("{}: capability {}: {} -> {}", id, capability, before, after),
                               expected_.count(id) > 0});
  }

  void compare(const SnapshotRow& before, const SnapshotRow& after) {
    ++result_.compared;
    std::set<std::string> stages;
    for (const auto& [stage, routes] : before.routes) stages.insert(stage);
    for (const auto& [stage, routes] : after.routes) stages.insert(stage);
    bool same = true;
    for (const std::string& stage : stages) {
      const std::string was = route_in(before, stage), is = route_in(after, stage);
      if (was == is) continue;
      same = false;
      change(before.id + "/" + stage, before.capability, was, is);
    }
    if (same && before.layout != after.layout) {
      change(before.id + "/layout", before.capability, before.layout, after.layout);
    }
  }

  SnapshotDiff finish() {
    std::set_difference(expected_.begin(), expected_.end(), changed_.begin(), changed_.end(),
                        std::back_inserter(result_.not_happened));
    return std::move(result_);
  }

 private:
  const std::set<std::string>& expected_;
  std::set<std::string> changed_;
  SnapshotDiff result_;
};

}  // namespace

bool SnapshotDiff::clean() const {
  return std::all_of(changes.begin(), changes.end(), [](const Change& change) { return change.expected; });
}

SnapshotDiff diff(const Snapshot& before, const Snapshot& after, const std::set<std::string>& expected) {
  std::map<std::string, const SnapshotRow*> later;
  for (const SnapshotRow& row : after.rows) later[row.id] = &row;
  DiffWriter writer(expected);
  for (const SnapshotRow& row : before.rows) {
    const auto match = later.find(row.id);
    if (match == later.end()) {
      writer.change(row.id, row.capability, "present", kAbsent);
      continue;
    }
    writer.compare(row, *match->second);
    later.erase(match);
  }
  for (const SnapshotRow& row : after.rows) {
    if (later.count(row.id) > 0) writer.change(row.id, row.capability, kAbsent, "present");
  }
  return writer.finish();
}

std::string to_text(const SnapshotDiff& diff) {
  std::string text;
  std::size_t unexpected = 0;
  for (const SnapshotDiff::Change& change : diff.changes) {
    unexpected += change.expected ? 0 : 1;
    text += change.text + (change.expected ? " (expected)\n" : "\n");
  }
  for (const std::string& id : diff.not_happened) text += id + ": expected to change, did not\n";
  text += fmt::format("{} rows compared: {} changes, {} unexpected; {} expected changes did not happen\n",
                      diff.compared, diff.changes.size(), unexpected, diff.not_happened.size());
  return text;
}

std::set<std::string> expected_from_json(std::string_view text, const std::string& name) {
  try {
    return nlohmann::json::parse(text).get<std::set<std::string>>();
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(fmt::format("{}: no list of row ids: {}", name, error.what()));
  }
}

}  // namespace plumbline::dispatch
