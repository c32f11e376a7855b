#include "gpu/dispatch/cublas_gates.h"
#include "gpu/dispatch/score_routes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

// The decision to cut a batch by requests (ROUTES.md §2.4).
namespace plumbline::dispatch {
namespace {

constexpr Route kSplit = Route::score_cublas_split;

Gate query_starts_given(const PlanInput& input) {
  return requirement("query_starts_missing", input.batch.query_starts.has_value(),
                     input.batch.query_starts ? "given" : "none", "host query starts");
}

Gate several_requests(const PlanInput& input) {
  return admission("single_request", input.batch.requests() >= 2,
                   fmt::format("{} page-table rows", input.batch.requests()), ">= 2");
}

Gate split_capability(const PlanInput& input) { return cublas_gates::capability(input, kSplit); }

Gate starts_at_zero(const PlanInput& input) {
  const std::int64_t first = input.batch.query_starts->front();
  return requirement("query_starts_not_zero_based", first == 0, fmt::format("first start {}", first), "0");
}

Gate no_padded_rows(const PlanInput& input) {
  const std::int64_t end = input.batch.query_starts->back();
  return requirement("padded_rows", end == input.batch.rows(), fmt::format("query starts end at {}", end),
                     fmt::format("{} rows", input.batch.rows()));
}

std::int64_t longest_request(const PlanInput& input) {
  const std::vector<std::int64_t>& starts = *input.batch.query_starts;
  std::int64_t longest = 0;
  for (std::size_t i = 1; i < starts.size(); ++i) longest = std::max(longest, starts[i] - starts[i - 1]);
  return longest;
}

Gate has_long_request(const PlanInput& input) {
  const PolicyField field = PolicyField::qsa_cublas_min_rows;
  const std::int64_t longest = longest_request(input);
  return admission("no_long_request", longest >= input.policy.value(field),
                   fmt::format("longest request {} rows", longest),
                   fmt::format(">= {} ({})", input.policy.value(field), input.policy.source(field)));
}

constexpr std::array<GateFunction<PlanInput>, 9> kSplitGates = {
    query_starts_given,        several_requests,    cublas_gates::policy,
    split_capability,          cublas_gates::dtype, cublas_gates::query_shape,
    cublas_gates::cache_shape, starts_at_zero,      no_padded_rows};
constexpr std::array<GateFunction<PlanInput>, 1> kLengthGate = {has_long_request};

}  // namespace

SplitDecision decide_split(const PlanInput& input) {
  SplitDecision decision{{kSplit, {}}, false, {{{0, input.batch.rows()}, std::nullopt}}};
  const std::optional<Route> forced = input.forced.score;
  if (forced && *forced != kSplit) return decision;
  evaluate<PlanInput>(decision.candidate, kSplitGates, input, forced.has_value());
  evaluate<PlanInput>(decision.candidate, kLengthGate, input, forced.has_value());
  decision.split = forced ? decision.candidate.can_run() : decision.candidate.passes();
  if (!decision.split) return decision;
  // Forced, every request is long enough.
  const std::int64_t min_rows = forced ? 1 : input.policy.value(PolicyField::qsa_cublas_min_rows);
  decision.segments = plan_segments(*input.batch.query_starts, min_rows);
  return decision;
}

}  // namespace plumbline::dispatch
