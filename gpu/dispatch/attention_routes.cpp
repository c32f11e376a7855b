#include "gpu/dispatch/attention_routes.h"

#include <array>
#include <bit>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

using Gates = std::span<const GateFunction<PlanInput>>;

const AttentionBatch& attention(const PlanInput& input) { return *input.batch.attention; }

AttentionLaunch launch_of(const PlanInput& input) {
  const AttentionBatch& batch = attention(input);
  const std::int64_t kv_heads = batch.key_cache.extent(2);
  if (kv_heads == 0) return {};
  return attention_launch(
      {input.batch.rows(), batch.query.extent(1), kv_heads, batch.query.extent(2), batch.indices.extent(1)},
      input.capability);
}

Gate exactly_sm70(const PlanInput& input) {
  return admission("capability", input.capability.is_exactly(70), to_string(input.capability), "exactly 7.0");
}
Gate one_row(const PlanInput& input) {
  const TensorShape& query = attention(input).query;
  return requirement(
      "query_shape",
      query.type == ElementType::float16 && query.shape == std::vector<std::int64_t>{1, 6, 256},
      fmt::format("{} {}", name_of(query.type), to_string(query.shape)), "f16 [1, 6, 256]");
}
Gate page_400(const PlanInput& input) {
  const TensorShape& key = attention(input).key_cache;
  return requirement("cache_shape", key.type == ElementType::float16 && key.has_tail(4, {400, 1, 256}),
                     fmt::format("{} {}", name_of(key.type), to_string(key.shape)),
                     "f16 [blocks, 400, 1, 256]");
}
Gate full_width(const PlanInput& input) {
  const TensorShape& list = attention(input).indices;
  return requirement("indices_shape",
                     list.type == ElementType::int32 && list.shape == std::vector<std::int64_t>{1, 2051},
                     fmt::format("{} {}", name_of(list.type), to_string(list.shape)), "i32 [1, 2051]");
}
Gate slots_fit(const PlanInput& input) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  const std::int64_t blocks = attention(input).key_cache.extent(0);
  return requirement("slot_overflow", blocks < (kLimit + 399) / 400, fmt::format("{} blocks of 400", blocks),
                     fmt::format("slots < {}", kLimit));
}
Gate resolved_kernel(const PlanInput&) {
  return requirement("kernel_unavailable", false, "none here", "a kernel");
}
constexpr std::array<GateFunction<PlanInput>, 6> kResolvedGates = {exactly_sm70, one_row,   page_400,
                                                                   full_width,   slots_fit, resolved_kernel};

Gate query_layout(const PlanInput& input) {
  const TensorShape& query = attention(input).query;
  const auto dim = static_cast<std::uint64_t>(query.extent(2));
  const bool half = query.type == ElementType::float16 || query.type == ElementType::bfloat16;
  return requirement(
      "query_shape",
      half && query.rank() == 3 && dim >= 16 && std::has_single_bit(dim) && query.stride(2) == 1,
      fmt::format("{} {}", name_of(query.type), to_string(query.shape)),
      "f16 or bf16 [rows, heads, power of two >= 16], last stride 1");
}
Gate cache_layout(const PlanInput& input) {
  const AttentionBatch& batch = attention(input);
  const TensorShape &key = batch.key_cache, &value = batch.value_cache;
  const bool same = key.shape == value.shape && key.type == value.type;
  const bool type = key.type == batch.query.type || key.type == ElementType::uint8;
  const bool dim =
      key.rank() == 4 && key.extent(3) == batch.query.extent(2) && key.stride(3) == 1 && value.stride(3) == 1;
  return requirement("cache_shape", same && type && dim,
                     fmt::format("{} {}", name_of(key.type), to_string(key.shape)),
                     fmt::format("[blocks, page, heads, {}] of the query's type or u8, last stride 1",
                                 batch.query.extent(2)));
}
Gate whole_groups(const PlanInput& input) {
  const std::int64_t query = attention(input).query.extent(1), kv = attention(input).key_cache.extent(2);
  return requirement("head_groups", kv > 0 && query > 0 && query % kv == 0,
                     fmt::format("{} query heads, {} kv heads", query, kv), "a multiple");
}
Gate index_layout(const PlanInput& input) {
  const TensorShape& list = attention(input).indices;
  return requirement(
      "indices_shape",
      list.type == ElementType::int32 && list.rank() == 2 && list.extent(1) > 0 && list.stride(1) == 1,
      fmt::format("{} {}", name_of(list.type), to_string(list.shape)), "i32 [rows, selected], last stride 1");
}
Gate one_split(const PlanInput& input) {
  const std::int64_t splits = launch_of(input).splits;
  return admission("several_splits", splits == 1, fmt::format("{} splits", splits), "1");
}
constexpr std::array<GateFunction<PlanInput>, 5> kDirectGates = {query_layout, cache_layout, whole_groups,
                                                                 index_layout, one_split};
constexpr Gates kSplitkGates = Gates(kDirectGates).first<4>();

}  // namespace

AttentionPlan decide_attention(const PlanInput& input) {
  struct Entry {
    Route route;
    Gates gates;
  };
  const std::array entries = {
      Entry{Route::attention_page4, page4_gates()},
      Entry{Route::attention_resolved, kResolvedGates},
      Entry{Route::attention_direct, kDirectGates},
      Entry{Route::attention_splitk, kSplitkGates},
  };
  const std::optional<Route> forced = input.forced.attention;
  AttentionPlan plan;
  plan.decision.forced = forced.has_value();
  for (const Entry& entry : entries) {
    if (forced && *forced != entry.route) continue;
    Candidate& candidate = plan.decision.candidates.emplace_back(Candidate{entry.route, {}});
    evaluate(candidate, entry.gates, input, forced.has_value());
    if (!forced && !candidate.passes()) continue;
    plan.decision.route = entry.route;
    break;
  }
  plan.launch = launch_of(input);
  if (forced == Route::attention_direct) plan.launch.splits = 1;
  return plan;
}

}  // namespace plumbline::dispatch
