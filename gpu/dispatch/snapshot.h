#pragma once

#include "gpu/dispatch/gate_set.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::dispatch {

/// What one case of the matrix runs on one capability.
struct SnapshotRow {
  std::string id;                             ///< CASE@CAPABILITY
  std::string capability;                     ///< "7.5"
  std::map<std::string, std::string> routes;  ///< stage → routes in execution order, joined by " + "
  std::string layout;                         ///< segments, chunks and tiles
  bool supported = false;                     ///< kernels of ours stand behind scoring, top-k and expansion
  std::vector<std::string> rejected;          ///< "ROUTE: GATE: OBSERVED, required REQUIRED"

  bool operator==(const SnapshotRow&) const = default;
};

/// The whole matrix under one gate set. It is a prediction: no kernel ran.
struct Snapshot {
  std::string scope;
  std::string gates;
  std::vector<SnapshotRow> rows;

  bool operator==(const Snapshot&) const = default;
};

Snapshot take_snapshot(const GateSet& gates);

/// {schema: 1, scope, basis, gates, cases: [{id, capability, routes, layout, supported, rejected}]}.
std::string to_json(const Snapshot& snapshot);
/// Throws std::invalid_argument ("NAME: …") for text that is no snapshot of this schema.
Snapshot snapshot_from_json(std::string_view text, const std::string& name);

}  // namespace plumbline::dispatch
