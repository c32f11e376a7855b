#include "gpu/dispatch/score_routes.h"

#include "gpu/dispatch/cublas_gates.h"
#include "gpu/dispatch/select_routes.h"

#include <array>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

constexpr Route kSingle = Route::score_cublas_single;
constexpr Route kSplit = Route::score_cublas_split;

Gate policy(const ScoreCall& call) { return cublas_gates::policy(call.input); }
Gate single_capability(const ScoreCall& call) { return cublas_gates::capability(call.input, kSingle); }
Gate rows_min(const ScoreCall& call) { return cublas_gates::rows_min(call.input, call.rows()); }
Gate dtype(const ScoreCall& call) { return cublas_gates::dtype(call.input); }
Gate query_shape(const ScoreCall& call) { return cublas_gates::query_shape(call.input); }
Gate cache_shape(const ScoreCall& call) { return cublas_gates::cache_shape(call.input); }

Gate one_request(const ScoreCall& call) {
  return requirement("multiple_requests", call.page_table_rows == 1,
                     fmt::format("{} page-table rows", call.page_table_rows), "1");
}

constexpr std::array<GateFunction<ScoreCall>, 8> kSingleGates = {
    policy,      single_capability, rows_min,    dtype,
    query_shape, cache_shape,       one_request, cublas_gates::score_work_min};
// What a long request's own call adds to the gates of the split.
constexpr std::array<GateFunction<ScoreCall>, 2> kLongRequestGates = {rows_min, cublas_gates::score_work_min};

Gate short_requests(const ScoreCall& call) {
  const std::int64_t min_rows = call.input.policy.value(PolicyField::qsa_cublas_min_rows);
  return admission(
      "rows_below_min", false,
      fmt::format("requests of rows {}-{} are short", call.segment.rows.begin, call.segment.rows.end),
      fmt::format(">= {} rows each", min_rows));
}
constexpr std::array<GateFunction<ScoreCall>, 1> kShortRequestGates = {short_requests};

Gate paged_query(const ScoreCall& call) {
  const TensorShape& query = call.input.batch.query;
  const bool ok = query.rank() == 3 && query.extent(1) > 0 && query.extent(2) > 0;
  return requirement("query_shape", ok, to_string(query.shape), "[rows, heads, dim]");
}
Gate paged_cache(const ScoreCall& call) {
  const Batch& batch = call.input.batch;
  return requirement("cache_shape", batch.key_cache.has_tail(4, {1, batch.query.extent(2)}),
                     to_string(batch.key_cache.shape),
                     fmt::format("[pages, page, 1, {}]", batch.query.extent(2)));
}
Gate paged_table(const ScoreCall& call) {
  const TensorShape& table = call.input.batch.page_table;
  return requirement("page_table_empty", table.rank() == 2 && call.input.batch.capacity() > 0,
                     to_string(table.shape), "[requests >= 1, width >= 1]");
}
Gate paged_dtype(const ScoreCall& call) {
  const auto is_float = [](ElementType type) {
    return type == ElementType::float16 || type == ElementType::bfloat16 || type == ElementType::float32;
  };
  const ElementType query = call.input.batch.query.type, cache = call.input.batch.key_cache.type;
  return requirement("dtype", is_float(query) && is_float(cache),
                     fmt::format("query {}, cache {}", name_of(query), name_of(cache)), "floating point");
}
constexpr std::array<GateFunction<ScoreCall>, 4> kPagedGates = {paged_dtype, paged_query, paged_cache,
                                                                paged_table};

}  // namespace

Decision decide_cublas(const ScoreCall& segment, const SplitDecision& split) {
  const std::optional<Route> forced = segment.input.forced.score;
  Decision decision;
  decision.forced = forced.has_value();
  if (!forced || *forced == kSplit) {
    decision.candidates.push_back(split.candidate);
    Candidate& candidate = decision.candidates.back();
    if (split.split) {
      const bool is_long = segment.segment.request.has_value();
      evaluate<ScoreCall>(
          candidate,
          is_long ? std::span<const GateFunction<ScoreCall>>(kLongRequestGates) : kShortRequestGates, segment,
          forced.has_value());
    }
    if (forced || candidate.passes()) {
      decision.route = kSplit;
      return decision;
    }
    if (split.split && segment.segment.request) return decision;  // the same call would fail the same gate
  }
  if (forced && *forced != kSingle) return decision;
  decision.candidates.push_back({kSingle, {}});
  evaluate<ScoreCall>(decision.candidates.back(), kSingleGates, segment, forced.has_value());
  if (forced || decision.candidates.back().passes()) decision.route = kSingle;
  return decision;
}

Decision decide_score(const ScoreCall& chunk, const Decision& cublas) {
  Decision decision = cublas;
  if (decision.route != Route::none) return decision;
  const std::optional<Route> forced = chunk.input.forced.score;
  if (forced == Route::score_hopper) {
    decision.route = *forced;
    decision.candidates.push_back({*forced, {}});
    evaluate<PlanInput>(decision.candidates.back(), hopper_gates(), chunk.input, true);
    return decision;
  }
  for (const Route route : {Route::score_shared_key, Route::score_paged}) {
    if (forced && *forced != route) continue;
    decision.candidates.push_back({route, {}});
    const bool shared = route == Route::score_shared_key;
    evaluate<ScoreCall>(decision.candidates.back(),
                        shared ? shared_key_gates() : std::span<const GateFunction<ScoreCall>>(kPagedGates),
                        chunk, forced.has_value());
    if (forced || decision.candidates.back().passes()) {
      decision.route = route;
      break;
    }
  }
  return decision;
}

}  // namespace plumbline::dispatch
