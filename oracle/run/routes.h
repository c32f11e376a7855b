#pragma once

#include "gpu/dispatch/snapshot.h"

#include <string>
#include <vector>

namespace plumbline {

/// What `routes explain` is asked.
struct RoutesQuestion {
  std::string case_text;
  std::string capability = "7.5";
  std::string gates = "family7x";
  std::vector<std::string> policy;  ///< NAME=VALUE, typed
  std::vector<std::string> forced;  ///< route names, at most one per stage
  std::string attention;            ///< "24x2": query heads x kv heads; empty: selection alone
};

// All throw InputError with one line.

/// The decision tree of the plan.
std::string explain_routes(const RoutesQuestion& question);

/// The whole matrix as JSON.
std::string snapshot_routes(const std::string& gates);

dispatch::Snapshot read_snapshot(const std::string& path);

struct RoutesDiff {
  std::string text;
  bool clean = false;  ///< nothing but expected changes
};
/// Compares two snapshot files; `expected_path` (may be empty) lists the ids that may change.
RoutesDiff diff_routes(const std::string& before_path, const std::string& after_path,
                       const std::string& expected_path);

}  // namespace plumbline
