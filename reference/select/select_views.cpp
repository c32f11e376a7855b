#include "reference/select/select_views.h"

#include "fixtures/error.h"
#include "reference/numeric/decode_row.h"
#include "reference/select/filter_bound.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace plumbline {
namespace {

void require(bool fits, const char* what, const std::string& expected, const std::string& found) {
  if (!fits)
    throw InputError(fmt::format("selection inputs: {}: expected {}, found {}", what, expected, found));
}

void require_shape(const TensorView& view, const char* what, const Shape& shape) {
  require(view.shape == shape, what, to_string(shape), to_string(view.shape));
}

}  // namespace

void require_scored_selection(const SelectInputs& inputs, std::span<const std::uint8_t> key_valid) {
  const SelectGeometry& geometry = inputs.geometry;
  require(inputs.index_query && inputs.index_key, "index_query and index_key", "both", "one or none");
  require(geometry.block_topk >= 1, "block_topk", "at least 1", fmt::to_string(geometry.block_topk));
  require(geometry.index_heads >= 1, "index_heads", "at least 1", fmt::to_string(geometry.index_heads));
  require(geometry.index_head_dim >= 1, "index_head_dim", "at least 1",
          fmt::to_string(geometry.index_head_dim));
  const std::int64_t products = std::int64_t{geometry.index_heads} * geometry.index_head_dim;
  require(products <= kFilterMaxProducts, "index_heads * index_head_dim", "at most 2^21",
          fmt::to_string(products));
  require(inputs.blocks >= 0 && inputs.blocks <= INT32_MAX, "blocks", "0 to 2^31 - 1",
          fmt::to_string(inputs.blocks));
  require_shape(*inputs.index_query, "index_query",
                {inputs.rows, geometry.index_heads, geometry.index_head_dim});
  require_shape(*inputs.index_key, "index_key", {inputs.blocks, geometry.index_head_dim});
  require_shape(inputs.visible_blocks, "visible_blocks", {inputs.rows});
  for (const TensorView* view : {&*inputs.index_query, &*inputs.index_key}) {
    require(is_floating(view->dtype), "index_query and index_key", "a floating type",
            std::string(name_of(view->dtype)));
  }
  require(inputs.visible_blocks.dtype == DType::int32, "visible_blocks", "i32",
          std::string(name_of(inputs.visible_blocks.dtype)));
  require(key_valid.empty() || static_cast<std::int64_t>(key_valid.size()) == inputs.blocks, "key_valid",
          fmt::format("{} entries", inputs.blocks), fmt::to_string(key_valid.size()));
}

std::int64_t visible_of(const SelectInputs& inputs, std::int64_t row) {
  std::int32_t visible = 0;
  std::memcpy(&visible, inputs.visible_blocks.at(row), sizeof visible);
  return std::clamp<std::int64_t>(visible, 0, inputs.blocks);
}

std::int64_t largest_visible(const SelectInputs& inputs) {
  std::int64_t largest = 0;
  for (std::int64_t row = 0; row < inputs.rows; ++row) largest = std::max(largest, visible_of(inputs, row));
  return largest;
}

TensorView query_of(const SelectInputs& inputs, std::int64_t row) {
  const TensorView& query = *inputs.index_query;
  return {query.dtype, {query.shape[1], query.shape[2]}, {query.strides[1], query.strides[2]}, query.at(row)};
}

TensorView key_of(const SelectInputs& inputs, std::int64_t block) {
  const TensorView& key = *inputs.index_key;
  return {key.dtype, {key.shape[1]}, {key.strides[1]}, key.at(block)};
}

std::optional<std::vector<float>> finite_query(const SelectInputs& inputs, std::int64_t row) {
  const TensorView view = query_of(inputs, row);
  const auto dim = static_cast<std::size_t>(view.extent(1));
  std::vector<float> query(static_cast<std::size_t>(view.extent(0)) * dim);
  for (std::int64_t head = 0; head < view.extent(0); ++head) {
    decode_row(view.dtype, view.at(head), view.strides[1],
               std::span(query).subspan(static_cast<std::size_t>(head) * dim, dim));
  }
  if (!std::all_of(query.begin(), query.end(), [](float value) { return std::isfinite(value); }))
    return std::nullopt;
  return query;
}

}  // namespace plumbline
