#include "oracle/run/batch_from_case.h"

#include "fixtures/cases/generate.h"
#include "fixtures/error.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace plumbline {
namespace {

using dispatch::ElementType;

ElementType element_type(DType type) {
  switch (type) {
    case DType::float32:
      return ElementType::float32;
    case DType::float16:
      return ElementType::float16;
    case DType::bfloat16:
      return ElementType::bfloat16;
    case DType::float8_e4m3fn:
      return ElementType::float8_e4m3fn;
    case DType::int32:
      return ElementType::int32;
    case DType::int64:
      return ElementType::int64;
    case DType::uint8:
      return ElementType::uint8;
    case DType::float8_e5m2:
      break;
  }
  throw InputError(fmt::format("the dispatch knows no tensors of {}", name_of(type)));
}

dispatch::TensorShape shape_of(const TensorView& view) {
  return {element_type(view.dtype), view.shape, view.strides};
}

std::int64_t integer_at(const TensorView& view, std::int64_t index) {
  if (view.dtype == DType::int64) {
    std::int64_t value = 0;
    std::memcpy(&value, view.at(index), sizeof value);
    return value;
  }
  std::int32_t value = 0;
  std::memcpy(&value, view.at(index), sizeof value);
  return value;
}

std::vector<std::int64_t> integers(const TensorView& view) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < view.extent(0); ++i) values.push_back(integer_at(view, i));
  return values;
}

/// Per request, the most blocks any of its rows sees; rows of no request see nothing.
std::vector<std::int64_t> visible_maxima(const PagedSelectInputs& inputs,
                                         const std::vector<std::int64_t>& lengths) {
  const std::int64_t ratio = inputs.geometry.compress_ratio;
  std::vector<std::int64_t> visible(lengths.size(), 0);
  for (std::int64_t row = 0; row < inputs.token_to_request.extent(0); ++row) {
    const std::int64_t request = integer_at(inputs.token_to_request, row);
    if (request < 0 || request >= static_cast<std::int64_t>(lengths.size())) continue;
    const auto index = static_cast<std::size_t>(request);
    const std::int64_t tokens = std::min(integer_at(inputs.query_positions, row) + 1, lengths[index]);
    visible[index] = std::max(visible[index], tokens / ratio);
  }
  return visible;
}

}  // namespace

dispatch::AttentionBatch batch_of(const AttentionInputs& inputs) {
  dispatch::AttentionBatch batch;
  batch.query = shape_of(inputs.query);
  batch.key_cache = shape_of(inputs.key_cache);
  batch.value_cache = shape_of(inputs.value_cache);
  for (dispatch::TensorShape* cache : {&batch.key_cache, &batch.value_cache})
    if (cache->type == ElementType::float8_e4m3fn) cache->type = ElementType::uint8;
  batch.indices = shape_of(inputs.selected_tokens);
  batch.block_table = shape_of(inputs.page_table);
  batch.lse_requested = true;
  return batch;
}

dispatch::Batch batch_of(const PagedSelectInputs& inputs) {
  dispatch::Batch batch;
  batch.query = shape_of(inputs.index_query);
  batch.key_cache = shape_of(inputs.index_key_cache);
  batch.page_table = shape_of(inputs.page_table);
  batch.token_to_request = shape_of(inputs.token_to_request);
  batch.query_positions = shape_of(inputs.query_positions);
  batch.sequence_lengths = shape_of(inputs.sequence_lengths);
  batch.lengths = integers(inputs.sequence_lengths);
  batch.visible_max = visible_maxima(inputs, batch.lengths);
  if (inputs.query_start_loc) batch.query_starts = integers(*inputs.query_start_loc);
  batch.block_topk = inputs.geometry.block_topk;
  batch.compress_ratio = inputs.geometry.compress_ratio;
  return batch;
}

namespace {

dispatch::Batch one_request(ElementType type, const SelectGeometry& geometry, std::int64_t rows,
                            std::int64_t blocks) {
  dispatch::Batch batch;
  batch.query = dispatch::contiguous(type, {rows, geometry.index_heads, geometry.index_head_dim});
  batch.key_cache = dispatch::contiguous(type, {1, blocks, 1, geometry.index_head_dim});
  batch.page_table = dispatch::contiguous(ElementType::int32, {1, 1});
  batch.token_to_request = dispatch::contiguous(ElementType::int32, {rows});
  batch.query_positions = dispatch::contiguous(ElementType::int64, {rows});
  batch.sequence_lengths = dispatch::contiguous(ElementType::int32, {1});
  batch.lengths = {blocks * geometry.compress_ratio};
  batch.query_starts = {0, rows};
  batch.block_topk = geometry.block_topk;
  batch.compress_ratio = geometry.compress_ratio;
  return batch;
}

}  // namespace

dispatch::Batch batch_of(const CaseSpec& spec) {
  if (spec.kind == CaseSpec::Kind::paged) return batch_of(generate_paged(spec).inputs());
  return one_request(element_type(spec.dtype), spec.geometry, spec.rows, spec.blocks);
}

dispatch::Batch batch_of(const SelectInputs& inputs) {
  const bool keys = inputs.index_query.has_value();
  SelectGeometry geometry = inputs.geometry;
  if (!keys) {
    constexpr SelectGeometry kModel;
    geometry.index_heads = kModel.index_heads;
    geometry.index_head_dim = kModel.index_head_dim;
  }
  dispatch::Batch batch = one_request(keys ? element_type(inputs.index_query->dtype) : ElementType::float16,
                                      geometry, inputs.rows, std::max<std::int64_t>(inputs.blocks, 1));
  if (inputs.blocks == 0) batch.lengths = {0};  // a page without a block would be no page
  std::int64_t visible = 0;
  for (const std::int64_t row : integers(inputs.visible_blocks)) visible = std::max(visible, row);
  batch.visible_max = {std::min(visible, inputs.blocks)};
  return batch;
}

}  // namespace plumbline
