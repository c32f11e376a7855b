#pragma once

#include "gpu/dispatch/capability.h"
#include "gpu/dispatch/route.h"

#include <string>
#include <string_view>
#include <vector>

namespace plumbline::dispatch {

/// A capability on which a route is admitted because a committed run hit it there.
struct ProvenRoute {
  Route route = Route::none;
  Capability capability;
  std::string evidence;  ///< path of the evidence file, from the root of the repository
};

/// Which capabilities the three disputed routes admit: score.cublas_single, score.cublas_split and
/// topk.lexicographic. Every other capability condition is a fixed property of its route.
struct GateSet {
  enum class Rule {
    exactly,  ///< equality with `number`
    family,   ///< same major version as `number`
    proven,   ///< listed in `table`
  };
  std::string name;
  Rule rule = Rule::exactly;
  int number = 70;
  std::vector<ProvenRoute> table;

  bool admits(Route route, Capability capability) const;
  /// What admits() asks for, in words: "exactly 7.0", "family 7.x".
  std::string requirement(Route route) const;
};

/// "exact70" (equality with 7.0), "family7x" (any 7.x), "proven" (the table generated from
/// proven_capabilities.json). Throws std::invalid_argument that lists the names.
const GateSet& gate_set(std::string_view name);
const std::vector<std::string>& gate_set_names();

}  // namespace plumbline::dispatch
