#include "gpu/dispatch/topk_routes.h"

#include <array>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

using Gates = std::span<const GateFunction<TopkCall>>;

constexpr std::int64_t kFewRows = 32;
constexpr std::int64_t kCompactColumns = 32'768;
constexpr std::int64_t kMtpColumns = 9'216;

std::string rows_text(const TopkCall& call) { return fmt::format("{} rows", call.rows); }
std::string columns_text(const TopkCall& call) { return fmt::format("{} columns", call.columns); }
bool has_mtp_rows(const TopkCall& call) { return call.rows == 5 || call.rows == 10; }

// Our exact kernels serve any k, so a forced route passes this gate.
Gate topk_512(const TopkCall& call) {
  const std::int64_t k = call.input.batch.block_topk;
  return admission("block_topk", k == 512, fmt::format("{}", k), "512");
}
Gate exact_capability(const TopkCall& call) {
  const GateSet& gates = call.input.gates;
  return admission("capability", gates.admits(Route::topk_lexicographic, call.input.capability),
                   to_string(call.input.capability), gates.requirement(Route::topk_lexicographic));
}
constexpr std::array<GateFunction<TopkCall>, 2> kExactGates = {topk_512, exact_capability};

Gate columns_within_topk(const TopkCall& call) {
  const std::int64_t k = call.input.batch.block_topk;
  return requirement("columns_above_topk", call.columns <= k, columns_text(call), fmt::format("<= {}", k));
}
Gate few_rows(const TopkCall& call) {
  return admission("rows_above_32", call.rows <= kFewRows, rows_text(call), fmt::format("<= {}", kFewRows));
}
Gate many_columns(const TopkCall& call) {
  return admission("columns_below_32768", call.columns >= kCompactColumns, columns_text(call),
                   fmt::format(">= {}", kCompactColumns));
}
Gate one_row(const TopkCall& call) {
  return admission("multiple_rows", call.rows == 1, rows_text(call), "1");
}
Gate mtp_policy(const TopkCall& call) {
  const PolicyField field = PolicyField::qsa_mtp_topk;
  const Policy& policy = call.input.policy;
  return admission("policy_disabled", policy.enabled(field),
                   fmt::format("{} = {} ({})", name_of(field), policy.value(field), policy.source(field)),
                   "1");
}
Gate mtp_rows(const TopkCall& call) {
  return requirement("rows_not_5_or_10", has_mtp_rows(call), rows_text(call), "5 or 10");
}
Gate mtp_columns(const TopkCall& call) {
  return requirement("columns_above_9216", call.columns <= kMtpColumns, columns_text(call),
                     fmt::format("<= {}", kMtpColumns));
}
constexpr std::array<GateFunction<TopkCall>, 1> kIdentityGates = {columns_within_topk};
constexpr std::array<GateFunction<TopkCall>, 2> kCompactGates = {few_rows, many_columns};
constexpr std::array<GateFunction<TopkCall>, 1> kDecodeGates = {one_row};
constexpr std::array<GateFunction<TopkCall>, 3> kMtpGates = {mtp_policy, mtp_rows, mtp_columns};

Gate aligned_stride(const TopkCall& call) {
  return requirement("stride_not_multiple_of_4", call.columns % 4 == 0,
                     fmt::format("row stride {}", call.columns), "multiple of 4");
}
Gate cooperative_capability(const TopkCall& call) {
  const Capability capability = call.input.capability;
  return admission("capability", capability.at_least(90) && !capability.in_family(120), to_string(capability),
                   ">= 9.0, not family 12.x");
}
Gate instantiated_topk(const TopkCall& call) {
  const std::int64_t k = call.input.batch.block_topk;
  return requirement("block_topk", k == 512 || k == 1024 || k == 2048, fmt::format("{}", k),
                     "512, 1024 or 2048");
}
// The engine's operation has three sizes, our kernel any.
Gate persistent_topk(const TopkCall& call) {
  Gate gate = instantiated_topk(call);
  const std::int64_t k = call.input.batch.block_topk;
  if (k >= 1 && k <= 2048) gate.kind = Gate::Kind::admission;
  return gate;
}
// That the cooperative operation has the same three sizes as the persistent one is inferred.
constexpr std::array<GateFunction<TopkCall>, 4> kCooperativeGates = {
    few_rows, aligned_stride, cooperative_capability, instantiated_topk};
constexpr std::array<GateFunction<TopkCall>, 1> kPersistentGates = {persistent_topk};

Gate product_topk(const TopkCall& call) {
  const std::int64_t k = call.input.batch.block_topk;
  return requirement("block_topk", k >= 1 && k <= 1024, fmt::format("{}", k), "1 to 1024");
}
Gate cublas_products(const TopkCall& call) {
  const bool forced = call.input.forced.score == Route::score_cublas_single;
  return requirement("no_products", forced, forced ? "score.cublas_single forced" : "another scorer",
                     "score.cublas_single forced");
}
constexpr std::array<GateFunction<TopkCall>, 2> kProductGates = {product_topk, cublas_products};

struct Variant {
  Route route;
  Gates gates;
};
// The launch order of the engine's exact operation, after the identity. Its decode arm for other batches of
// up to 16 rows is left out: the selection asks for a decode batch with 5 and 10 rows only.
const std::array kVariants = {
    Variant{Route::topk_lexicographic_identity, kIdentityGates},
    Variant{Route::topk_lexicographic_compact, kCompactGates},
    Variant{Route::topk_lexicographic_decode, kDecodeGates},
    Variant{Route::topk_lexicographic_mtp, kMtpGates},
    Variant{Route::topk_lexicographic_generic, {}},
};

void take_first_variant(Decision& decision, const TopkCall& call) {
  for (const Variant& variant : kVariants) {
    decision.candidates.push_back({variant.route, {}});
    evaluate(decision.candidates.back(), variant.gates, call, false);
    if (!decision.candidates.back().passes()) continue;
    decision.route = variant.route;
    return;
  }
}

Decision decide_forced(const TopkCall& call, Route route) {
  Decision decision{route, true, {}};
  decision.candidates.push_back({operation_of(route), {}});
  Candidate& operation = decision.candidates.back();
  if (operation.route == Route::topk_cooperative)
    evaluate<TopkCall>(operation, kCooperativeGates, call, true);
  if (operation.route == Route::topk_products) evaluate<TopkCall>(operation, kProductGates, call, true);
  if (operation.route == Route::topk_persistent) evaluate<TopkCall>(operation, kPersistentGates, call, true);
  if (operation.route != Route::topk_lexicographic) return decision;
  evaluate<TopkCall>(operation, kExactGates, call, true);
  if (route == Route::topk_lexicographic) {
    take_first_variant(decision, call);
    return decision;
  }
  for (const Variant& variant : kVariants) {
    if (variant.route != route) continue;
    decision.candidates.push_back({route, {}});
    evaluate(decision.candidates.back(), variant.gates, call, true);
  }
  return decision;
}

}  // namespace

bool is_decode_batch(const TopkCall& call) {
  return has_mtp_rows(call) && call.input.policy.enabled(PolicyField::qsa_mtp_topk);
}

Decision decide_topk(const TopkCall& call) {
  if (call.input.forced.topk) return decide_forced(call, *call.input.forced.topk);
  Decision decision;
  decision.candidates.push_back({Route::topk_lexicographic, {}});
  evaluate<TopkCall>(decision.candidates.back(), kExactGates, call, false);
  if (decision.candidates.back().passes()) {
    take_first_variant(decision, call);
    return decision;
  }
  const std::array<Variant, 2> others = {Variant{Route::topk_cooperative, kCooperativeGates},
                                         Variant{Route::topk_persistent, kPersistentGates}};
  for (const Variant& other : others) {
    decision.candidates.push_back({other.route, {}});
    evaluate(decision.candidates.back(), other.gates, call, false);
    if (!decision.candidates.back().passes()) continue;
    decision.route = other.route;
    break;
  }
  return decision;
}

}  // namespace plumbline::dispatch
