#include "gpu/dispatch/cublas_gates.h"

#include <fmt/format.h>

namespace plumbline::dispatch::cublas_gates {
namespace {

std::string field_text(const Policy& policy, PolicyField field) {
  return fmt::format("{} = {} ({})", name_of(field), policy.value(field), policy.source(field));
}

}  // namespace

Gate policy(const PlanInput& input) {
  const PolicyField field = PolicyField::qsa_indexer_cublas;
  return admission("policy_disabled", input.policy.enabled(field), field_text(input.policy, field), "1");
}

Gate capability(const PlanInput& input, Route route) {
  return admission("capability", input.gates.admits(route, input.capability), to_string(input.capability),
                   input.gates.requirement(route));
}

Gate dtype(const PlanInput& input) {
  const ElementType query = input.batch.query.type, cache = input.batch.key_cache.type;
  const bool half = query == ElementType::float16 && cache == ElementType::float16;
  const bool has_product = query == cache && (half || query == ElementType::bfloat16);
  return {"dtype", has_product ? Gate::Kind::admission : Gate::Kind::requirement, half,
          fmt::format("query {}, cache {}", name_of(query), name_of(cache)), "f16, f16"};
}

Gate query_shape(const PlanInput& input) {
  const TensorShape& query = input.batch.query;
  const bool consistent = query.rank() == 3 && query.extent(1) > 0 && query.extent(2) > 0;
  return {"query_shape", consistent ? Gate::Kind::admission : Gate::Kind::requirement,
          query.has_tail(3, {4, 128}), to_string(query.shape), "[rows, 4, 128]"};
}

Gate cache_shape(const PlanInput& input) {
  const TensorShape& cache = input.batch.key_cache;
  const bool consistent = cache.has_tail(4, {1, input.batch.query.extent(2)});
  return {"cache_shape", consistent ? Gate::Kind::admission : Gate::Kind::requirement,
          cache.has_tail(4, {1, 128}), to_string(cache.shape), "[pages, page, 1, 128]"};
}

Gate rows_min(const PlanInput& input, std::int64_t rows) {
  const PolicyField field = PolicyField::qsa_cublas_min_rows;
  return admission("rows_below_min", rows >= input.policy.value(field), fmt::format("{} rows", rows),
                   fmt::format(">= {} ({})", input.policy.value(field), input.policy.source(field)));
}

Gate score_work_min(const ScoreCall& call) {
  const PolicyField field = PolicyField::qsa_cublas_min_score_elements;
  const Policy& policy = call.input.policy;
  const std::int64_t work = call.rows() * call.live();
  return admission("score_work_below_min", work >= policy.value(field),
                   fmt::format("{} rows x {} columns = {}", call.rows(), call.live(), work),
                   fmt::format(">= {} ({})", policy.value(field), policy.source(field)));
}

}  // namespace plumbline::dispatch::cublas_gates
