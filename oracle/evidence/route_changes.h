#pragma once

#include "gpu/dispatch/snapshot.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace plumbline {

/// The matrix's cases on which a stage's routes change in the same way.
struct RouteChange {
  std::string stage, before, after;
  std::map<std::string, std::int64_t> cases;  ///< capability → how many
  std::vector<std::string> ids;               ///< of the cases, without capability; each once
};
/// In the order of stage, before and after.
std::vector<RouteChange> route_changes(const dispatch::Snapshot& before, const dispatch::Snapshot& after);

/// An operation that some cases take after and not before.
struct TakenOperation {
  std::string operation;             ///< variants count as theirs
  std::set<std::string> instead_of;  ///< operations that those cases took
  std::map<std::string, std::int64_t> cases;
  std::vector<std::string> ids;
  std::vector<std::string>
      rejected;  ///< why it was not taken: "GATE: OBSERVED, required REQUIRED", each once
};
std::vector<TakenOperation> taken_operations(const std::vector<RouteChange>& changes,
                                             const dispatch::Snapshot& before);

/// "score.paged + score.cublas_split" → the operations.
std::set<std::string> operations_in(const std::string& routes);

}  // namespace plumbline
