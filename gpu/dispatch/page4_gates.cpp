#include "gpu/dispatch/attention_routes.h"

#include <array>

#include <fmt/format.h>

// ROUTES.md §4.1: page-4 attention. The seed did not widen its capability.
namespace plumbline::dispatch {
namespace {

const AttentionBatch& attention(const PlanInput& input) { return *input.batch.attention; }
bool has_byte_cache(const PlanInput& input) { return attention(input).key_cache.type == ElementType::uint8; }

std::string layout_text(const TensorShape& tensor) {
  return fmt::format("{} {} strides {}", name_of(tensor.type), to_string(tensor.shape),
                     to_string(tensor.strides));
}
bool is_unit_vector(const TensorShape& tensor, ElementType type) {
  return tensor.type == type && tensor.rank() == 1 && tensor.stride(0) == 1;
}

Gate enabled(const PlanInput& input) {
  const PolicyField field = PolicyField::qsa_xqa_page4;
  return admission(
      "policy_disabled", input.policy.enabled(field),
      fmt::format("{} = {} ({})", name_of(field), input.policy.value(field), input.policy.source(field)),
      "1");
}

Gate exactly_sm70(const PlanInput& input) {
  return admission("capability", input.capability.is_exactly(70), to_string(input.capability), "exactly 7.0");
}

Gate rows_min(const PlanInput& input) {
  const std::int64_t rows = input.batch.rows();
  const std::int64_t min_rows = input.policy.value(PolicyField::qsa_xqa_page4_min_rows);
  const bool bytes = has_byte_cache(input);
  return admission(
      "rows_below_min", rows >= min_rows || (bytes && rows > 16), fmt::format("{} rows", rows),
      bytes ? fmt::format(">= {} or > 16 with a u8 cache", min_rows) : fmt::format(">= {}", min_rows));
}

Gate no_lse(const PlanInput& input) {
  const bool lse = attention(input).lse_requested;
  return requirement("lse_requested", !lse, lse ? "requested" : "no", "no");
}

Gate metadata(const PlanInput& input) {
  const bool there = attention(input).has_row_metadata;
  return requirement("row_metadata_missing", there, there ? "given" : "none",
                     "positions and sequence lengths");
}

Gate query_dtype(const PlanInput& input) {
  const ElementType type = attention(input).query.type;
  return requirement("query_dtype", type == ElementType::float16, std::string(name_of(type)), "f16");
}

Gate cache_dtype(const PlanInput& input) {
  const ElementType key = attention(input).key_cache.type, value = attention(input).value_cache.type;
  return requirement("cache_dtype",
                     key == value && (key == ElementType::float16 || key == ElementType::uint8),
                     fmt::format("key {}, value {}", name_of(key), name_of(value)), "both f16 or both u8");
}

Gate query_shape(const PlanInput& input) {
  const TensorShape& query = attention(input).query;
  return requirement("query_shape", query.has_tail(3, {6, 256}) && query.stride(2) == 1, layout_text(query),
                     "[rows, 6, 256], last stride 1");
}

Gate cache_shape(const PlanInput& input) {
  const TensorShape &key = attention(input).key_cache, &value = attention(input).value_cache;
  return requirement("cache_shape", key.has_tail(4, {1, 256}) && key.shape == value.shape,
                     fmt::format("{} and {}", to_string(key.shape), to_string(value.shape)),
                     "both [blocks, page, 1, 256]");
}

Gate page_size(const PlanInput& input) {
  const std::int64_t page = attention(input).key_cache.extent(1);
  return requirement("page_not_multiple_of_4", page > 0 && page % 4 == 0, fmt::format("{}", page),
                     "multiple of 4");
}

Gate cache_strides(const PlanInput& input) {
  const TensorShape &key = attention(input).key_cache, &value = attention(input).value_cache;
  const std::int64_t block = key.extent(1) * 256;
  const auto fits = [&](const TensorShape& cache) {
    return cache.stride(3) == 1 && cache.stride(1) == 256 &&
           (cache.stride(0) == block || cache.stride(0) == 2 * block);
  };
  return requirement("cache_strides", fits(key) && fits(value) && key.stride(0) == value.stride(0),
                     fmt::format("{} and {}", to_string(key.strides), to_string(value.strides)),
                     fmt::format("equal, block {} or {}, token 256, last 1", block, 2 * block));
}

Gate indices(const PlanInput& input) {
  const TensorShape& list = attention(input).indices;
  return requirement("indices_shape",
                     list.type == ElementType::int32 && list.has_tail(2, {2051}) && list.stride(1) == 1,
                     layout_text(list), "i32 [rows, 2051], last stride 1");
}

Gate block_table(const PlanInput& input) {
  const TensorShape& table = attention(input).block_table;
  return requirement("block_table",
                     table.type == ElementType::int32 && table.rank() == 2 && table.stride(1) == 1,
                     layout_text(table), "i32, 2-D, last stride 1");
}

Gate request_map(const PlanInput& input) {
  const TensorShape& map = input.batch.token_to_request;
  return requirement("token_to_request", is_unit_vector(map, ElementType::int32), layout_text(map),
                     "i32 [rows], stride 1");
}

Gate positions(const PlanInput& input) {
  const TensorShape& tensor = input.batch.query_positions;
  return requirement("positions_dtype", is_unit_vector(tensor, ElementType::int64), layout_text(tensor),
                     "i64 [rows], stride 1");
}

Gate lengths(const PlanInput& input) {
  const TensorShape& tensor = input.batch.sequence_lengths;
  return requirement("sequence_lengths_dtype", is_unit_vector(tensor, ElementType::int32),
                     layout_text(tensor), "i32 [requests], stride 1");
}

Gate micro_pages(const PlanInput& input) {
  const TensorShape& key = attention(input).key_cache;
  constexpr std::int64_t kLimit = std::int64_t{1} << 30, kMicroPage = 1024;
  std::int64_t pages = 0;
  const bool overflow = __builtin_mul_overflow(key.extent(0), key.stride(0) / kMicroPage, &pages);
  return requirement("micro_page_overflow", !overflow && pages < kLimit,
                     overflow ? "more than 2^63 micro-pages" : fmt::format("{} micro-pages", pages),
                     fmt::format("< {}", kLimit));
}

Gate extension(const PlanInput& input) {
  const bool there = input.extensions.page4;
  return admission("native_extension_unavailable", there, there ? "loaded" : "missing", "loaded");
}

constexpr std::array<GateFunction<PlanInput>, 18> kGates = {
    enabled,     exactly_sm70, rows_min,    no_lse,    metadata,      query_dtype,
    cache_dtype, query_shape,  cache_shape, page_size, cache_strides, indices,
    block_table, request_map,  positions,   lengths,   micro_pages,   extension};

}  // namespace

std::span<const GateFunction<PlanInput>> page4_gates() { return kGates; }

}  // namespace plumbline::dispatch
