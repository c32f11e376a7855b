#pragma once

#include "gpu/dispatch/route.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::dispatch {

/// One condition of a route, evaluated. `name` is the machine-readable reason of a rejection.
struct Gate {
  enum class Kind : std::uint8_t {
    admission,    ///< the engine's choice: a forced route passes over it
    requirement,  ///< without it no kernel of the route can run: not even a forced route passes
  };
  std::string_view name;
  Kind kind = Kind::admission;
  bool passed = false;
  std::string observed;
  std::string required;
};

inline Gate admission(std::string_view name, bool passed, std::string observed, std::string required) {
  return {name, Gate::Kind::admission, passed, std::move(observed), std::move(required)};
}
inline Gate requirement(std::string_view name, bool passed, std::string observed, std::string required) {
  return {name, Gate::Kind::requirement, passed, std::move(observed), std::move(required)};
}

/// A route that was considered, with its gates in check order as far as they were evaluated: up to the first
/// failing one, or for a forced route up to the first failing requirement.
struct Candidate {
  Route route = Route::none;
  std::vector<Gate> gates;

  bool passes() const {
    return std::all_of(gates.begin(), gates.end(), [](const Gate& gate) { return gate.passed; });
  }
  /// No requirement fails.
  bool can_run() const {
    return std::all_of(gates.begin(), gates.end(),
                       [](const Gate& gate) { return gate.passed || gate.kind == Gate::Kind::admission; });
  }
  const Gate* first_failed() const {
    const auto failed =
        std::find_if(gates.begin(), gates.end(), [](const Gate& gate) { return !gate.passed; });
    return failed == gates.end() ? nullptr : &*failed;
  }
};

/// What a stage does for one chunk: the candidates in check order, the last of them the one taken.
struct Decision {
  Route route = Route::none;  ///< none: every candidate was rejected
  bool forced = false;
  std::vector<Candidate> candidates;

  /// A kernel of ours stands behind the route, and no requirement of a forced route fails.
  bool supported() const { return has_kernel(route) && !candidates.empty() && candidates.back().can_run(); }
};

template <class Call>
using GateFunction = Gate (*)(const Call&);

/// Appends the gates of `functions` to the candidate in order. Stops at the first that fails; where `forced`,
/// at the first failing requirement.
template <class Call>
void evaluate(Candidate& candidate, std::span<const GateFunction<Call>> functions, const Call& call,
              bool forced) {
  for (const GateFunction<Call> function : functions) {
    if (forced ? !candidate.can_run() : !candidate.passes()) return;
    candidate.gates.push_back(function(call));
  }
}

}  // namespace plumbline::dispatch
