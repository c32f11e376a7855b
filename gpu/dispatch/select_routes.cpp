#include "gpu/dispatch/select_routes.h"

#include <array>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

constexpr std::int64_t kHeads = 4, kDim = 128, kMostTopk = 1024;

Gate capability(const PlanInput& input) {
  return requirement("capability", input.capability.is_exactly(90), to_string(input.capability),
                     "exactly 9.0 (sm_90a)");
}
Gate dtype(const PlanInput& input) {
  const ElementType query = input.batch.query.type, cache = input.batch.key_cache.type;
  const bool ok = query == cache && (query == ElementType::float16 || query == ElementType::bfloat16);
  return requirement("dtype", ok, fmt::format("query {}, cache {}", name_of(query), name_of(cache)),
                     "both f16 or both bf16");
}
Gate heads(const PlanInput& input) {
  const TensorShape& query = input.batch.query;
  return requirement("heads", query.rank() == 3 && query.extent(1) == kHeads, to_string(query.shape),
                     fmt::format("[rows, {}, dim]", kHeads));
}
Gate dim(const PlanInput& input) {
  const TensorShape& query = input.batch.query;
  return requirement("dim", query.rank() == 3 && query.extent(2) == kDim, to_string(query.shape),
                     fmt::format("[rows, heads, {}]", kDim));
}
Gate cache_shape(const PlanInput& input) {
  const TensorShape& cache = input.batch.key_cache;
  return requirement("cache_shape", cache.has_tail(4, {1, kDim}), to_string(cache.shape),
                     fmt::format("[pages, page, 1, {}]", kDim));
}
Gate one_request(const PlanInput& input) {
  const std::int64_t requests = input.batch.requests();
  return requirement("multiple_requests", requests == 1, fmt::format("{} requests", requests), "1");
}
Gate block_topk(const PlanInput& input) {
  const std::int64_t k = input.batch.block_topk;
  return requirement("block_topk", k >= 1 && k <= kMostTopk, fmt::format("{}", k),
                     fmt::format("1 to {}", kMostTopk));
}

constexpr std::array<GateFunction<PlanInput>, 6> kHopperGates = {capability, dtype,       heads,
                                                                 dim,        cache_shape, one_request};
constexpr std::array<GateFunction<PlanInput>, 1> kTopkGate = {block_topk};

}  // namespace

std::span<const GateFunction<PlanInput>> hopper_gates() { return kHopperGates; }

Decision decide_select(const PlanInput& input, Route route) {
  Decision decision{route, true, {{route, {}}}};
  evaluate<PlanInput>(decision.candidates.back(), kHopperGates, input, true);
  evaluate<PlanInput>(decision.candidates.back(), kTopkGate, input, true);
  return decision;
}

}  // namespace plumbline::dispatch
