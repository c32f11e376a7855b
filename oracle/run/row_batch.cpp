#include "oracle/run/row_batch.h"

#include "fixtures/packed_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace plumbline {
namespace {

// A view may stride along any axis, so each row is packed by itself.
Tensor gathered(const TensorView& view, const std::vector<std::int64_t>& rows) {
  Shape shape = view.shape;
  shape[0] = static_cast<std::int64_t>(rows.size());
  Tensor tensor(view.dtype, shape);
  std::size_t at = 0;
  for (const std::int64_t row : rows) {
    TensorView line = view;
    line.data = view.at(row);
    line.shape[0] = 1;
    const std::vector<std::byte> bytes = packed_bytes(line);
    std::copy(bytes.begin(), bytes.end(), tensor.bytes.begin() + static_cast<std::ptrdiff_t>(at));
    at += bytes.size();
  }
  return tensor;
}

std::optional<Tensor> gathered(const std::optional<TensorView>& view, const std::vector<std::int64_t>& rows) {
  if (!view) return std::nullopt;
  return gathered(*view, rows);
}

}  // namespace

RowBatch::RowBatch(const SelectInputs& whole, std::vector<std::int64_t> rows)
    : whole_(whole),
      rows_(std::move(rows)),
      query_(gathered(whole.index_query, rows_)),
      scores_(gathered(whole.scores, rows_)),
      visible_(gathered(whole.visible_blocks, rows_)) {}

SelectInputs RowBatch::inputs() const {
  SelectInputs part = whole_;
  part.rows = static_cast<std::int64_t>(rows_.size());
  if (query_) part.index_query = query_->view();
  if (scores_) part.scores = scores_->view();
  part.visible_blocks = visible_.view();
  return part;
}

std::int64_t visible_count(const SelectInputs& inputs, std::int64_t row) {
  std::int32_t visible = 0;
  std::memcpy(&visible, inputs.visible_blocks.at(row), sizeof visible);
  return std::clamp<std::int64_t>(visible, 0, inputs.blocks);
}

}  // namespace plumbline
