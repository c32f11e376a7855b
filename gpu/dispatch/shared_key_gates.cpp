#include "gpu/dispatch/score_routes.h"

#include <array>

#include <fmt/format.h>

// ROUTES.md §2.6; the names after the first are the engine's own.
namespace plumbline::dispatch {
namespace {

Gate enabled(const ScoreCall& call) {
  return admission("shared_key_disabled", call.input.batch.shared_key_scoring,
                   call.input.batch.shared_key_scoring ? "on" : "off", "shared_key_scoring on");
}

Gate has_columns(const ScoreCall& call) {
  const std::int64_t columns = call.input.batch.capacity();
  return requirement("columns_out_of_range", columns > 0, fmt::format("{} columns", columns), "> 0");
}

Gate exactly_sm70(const ScoreCall& call) {
  return admission("requires_SM70", call.input.capability.is_exactly(70), to_string(call.input.capability),
                   "exactly 7.0");
}

Gate half_precision(const ScoreCall& call) {
  const ElementType query = call.input.batch.query.type, cache = call.input.batch.key_cache.type;
  return requirement("requires_FP16_query_and_indexer_cache",
                     query == ElementType::float16 && cache == ElementType::float16,
                     fmt::format("query {}, cache {}", name_of(query), name_of(cache)), "f16, f16");
}

Gate few_rows(const ScoreCall& call) {
  const Batch& batch = call.input.batch;
  const bool ok = call.chunk_rows >= 2 && call.chunk_rows <= 8 && batch.query.has_tail(3, {4, 128}) &&
                  batch.key_cache.has_tail(4, {1, 128});
  return requirement("requires_M2_8_H4_D128", ok,
                     fmt::format("{} rows of {}", call.chunk_rows, to_string(batch.query.shape)),
                     "2 to 8 rows, 4 heads, dim 128");
}

Gate one_request(const ScoreCall& call) {
  return requirement("multiple_requests", call.page_table_rows == 1,
                     fmt::format("{} page-table rows", call.page_table_rows), "1");
}

Gate int32_metadata(const ScoreCall& call) {
  const Batch& batch = call.input.batch;
  const bool ok = batch.token_to_request.type == ElementType::int32 &&
                  batch.page_table.type == ElementType::int32 &&
                  batch.sequence_lengths.type == ElementType::int32;
  return requirement(
      "requires_int32_request_metadata", ok,
      fmt::format("request map {}, page table {}, lengths {}", name_of(batch.token_to_request.type),
                  name_of(batch.page_table.type), name_of(batch.sequence_lengths.type)),
      "i32");
}

Gate integer_positions(const ScoreCall& call) {
  const ElementType type = call.input.batch.query_positions.type;
  return requirement("requires_integer_positions", type == ElementType::int32 || type == ElementType::int64,
                     std::string(name_of(type)), "i32 or i64");
}

Gate contiguous_metadata(const ScoreCall& call) {
  const Batch& batch = call.input.batch;
  return requirement(
      "noncontiguous_row_metadata",
      batch.token_to_request.stride(0) == 1 && batch.query_positions.stride(0) == 1,
      fmt::format("strides {} and {}", batch.token_to_request.stride(0), batch.query_positions.stride(0)),
      "1");
}

Gate extension(const ScoreCall& call) {
  const bool there = call.input.extensions.shared_key;
  return admission("native_extension_unavailable", there, there ? "loaded" : "missing", "loaded");
}

constexpr std::array<GateFunction<ScoreCall>, 10> kGates = {
    enabled,     has_columns,    exactly_sm70,      half_precision,      few_rows,
    one_request, int32_metadata, integer_positions, contiguous_metadata, extension};

}  // namespace

std::span<const GateFunction<ScoreCall>> shared_key_gates() { return kGates; }

}  // namespace plumbline::dispatch
