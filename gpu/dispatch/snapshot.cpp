#include "gpu/dispatch/snapshot.h"

#include "gpu/dispatch/plan.h"
#include "gpu/dispatch/snapshot_cases.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

class RowWriter {
 public:
  void add(Stage stage, const Decision& decision) {
    std::string& routes = row_.routes[std::string(name_of(stage))];
    const std::string route(name_of(decision.route));
    if (last_[stage] != route) routes += (routes.empty() ? "" : " + ") + route;
    last_[stage] = route;
    for (const Candidate& candidate : decision.candidates) {
      const Gate* failed = candidate.first_failed();
      if (failed == nullptr) continue;
      std::string line = fmt::format("{}: {}: {}, required {}", name_of(candidate.route), failed->name,
                                     failed->observed, failed->required);
      const auto known = std::find(row_.rejected.begin(), row_.rejected.end(), line);
      if (known == row_.rejected.end()) row_.rejected.push_back(std::move(line));
    }
  }

  void add(const SegmentPlan& segment) {
    const Range rows = segment.segment.rows;
    fmt::format_to(std::back_inserter(row_.layout), "{}rows {}-{} x {}:", row_.layout.empty() ? "" : "; ",
                   rows.begin, rows.end, segment.score_columns);
    for (const ChunkGroup& group : segment.groups) {
      fmt::format_to(std::back_inserter(row_.layout), " {}x{}/{}", group.count, group.rows,
                     group.tiles.piece);
      add(Stage::score, group.score);
      add(Stage::topk, group.topk);
      add(Stage::expand, group.expand);
    }
  }

  SnapshotRow finish(std::string id, const Plan& plan) {
    row_.id = std::move(id);
    row_.capability = to_string(plan.capability);
    row_.supported = plan.selection_supported();
    return std::move(row_);
  }

 private:
  SnapshotRow row_;
  std::map<Stage, std::string> last_;
};

}  // namespace

Snapshot take_snapshot(const GateSet& gates) {
  Snapshot snapshot{"sparse selection and attention: thresholds x capabilities", gates.name, {}};
  PlanInput input;
  input.gates = gates;
  for (SnapshotCase& entry : snapshot_cases()) {
    input.batch = std::move(entry.batch);
    for (const Capability capability : snapshot_capabilities()) {
      input.capability = capability;
      const Plan plan = make_plan(input);
      RowWriter writer;
      for (const SegmentPlan& segment : plan.segments) writer.add(segment);
      if (plan.attention) writer.add(Stage::attention, plan.attention->decision);
      snapshot.rows.push_back(writer.finish(fmt::format("{}@{}", entry.id, to_string(capability)), plan));
    }
  }
  return snapshot;
}

}  // namespace plumbline::dispatch
