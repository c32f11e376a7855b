#pragma once

#include "gpu/dispatch/plan.h"

#include <string>
#include <utility>

namespace plumbline::dispatch {

inline PlanInput input_of(Batch batch, Capability capability = {7, 5}, std::string_view gates = "family7x") {
  PlanInput input;
  input.capability = capability;
  input.gates = gate_set(gates);
  input.batch = std::move(batch);
  return input;
}

/// 1,616 rows of one request that has `length` tokens, as in the published benchmark: float16, pages of 202
/// blocks, capacity for 262,144 tokens.
inline Batch benchmark_batch(std::int64_t length, std::int64_t rows = 1616) {
  return make_batch({{rows, length}}, 202, 325);
}

/// The gate that rejected the last considered candidate of that route; "passes"; "not considered".
inline std::string verdict_on(const Decision& decision, Route route) {
  std::string verdict = "not considered";
  for (const Candidate& candidate : decision.candidates) {
    if (candidate.route != route) continue;
    const Gate* failed = candidate.first_failed();
    verdict = failed == nullptr ? "passes" : std::string(failed->name);
  }
  return verdict;
}

inline const ChunkGroup& first_group(const Plan& plan) { return plan.segments.at(0).groups.at(0); }

inline std::string score_verdict(const PlanInput& input, Route route = Route::score_cublas_single) {
  return verdict_on(first_group(make_plan(input)).score, route);
}

}  // namespace plumbline::dispatch
