#include "oracle/run/per_request_subject.h"

#include "reference/model/integer_view.h"
#include "reference/model/request_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {
namespace {

using RowNumbers = std::vector<std::int64_t>;

TensorView line_of(const TensorView& view, std::int64_t index) {
  TensorView line = view;
  line.data = view.at(index);
  line.shape[0] = 1;
  return line;
}

/// The rows of a view, side by side; its trailing axes have to be contiguous.
Tensor gathered(const TensorView& view, const RowNumbers& rows) {
  Shape shape = view.shape;
  shape[0] = 1;
  const std::size_t bytes = static_cast<std::size_t>(element_count(shape)) * size_of(view.dtype);
  shape[0] = static_cast<std::int64_t>(rows.size());
  Tensor tensor(view.dtype, shape);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::memcpy(tensor.bytes.data() + i * bytes, view.at(rows[i]), bytes);
  return tensor;
}

/// The rows of each request; padded rows are the first request's.
std::vector<RowNumbers> split_rows(const PagedSelectInputs& inputs) {
  std::vector<RowNumbers> split(static_cast<std::size_t>(inputs.page_table.extent(0)));
  for (std::int64_t row = 0; row < inputs.index_query.extent(0); ++row) {
    const std::int64_t request = is_padded_row(inputs, row) ? 0 : integer_at(inputs.token_to_request, row);
    split[static_cast<std::size_t>(request)].push_back(row);
  }
  return split;
}

void scatter(const Tensor& part, const RowNumbers& rows, Tensor& whole) {
  const std::size_t element = size_of(whole.dtype);
  const std::size_t from = static_cast<std::size_t>(part.extent(1)) * element;
  const std::size_t to = static_cast<std::size_t>(whole.extent(1)) * element;
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::memcpy(whole.bytes.data() + static_cast<std::size_t>(rows[i]) * to, part.bytes.data() + i * from,
                from);
}

void scatter(const std::optional<Tensor>& part, const RowNumbers& rows, std::optional<Tensor>& whole) {
  if (part && whole) scatter(*part, rows, *whole);
}

PagedSelectOutputs of_one_request(SelectSubject& subject, const PagedSelectInputs& inputs,
                                  std::int64_t request, const RowNumbers& rows) {
  const Tensor query = gathered(inputs.index_query, rows), positions = gathered(inputs.query_positions, rows);
  Tensor requests = gathered(inputs.token_to_request, rows);
  for (std::int32_t& row : requests.as<std::int32_t>()) row = row == request ? 0 : -1;
  PagedSelectInputs part = inputs;
  part.index_query = query.view();
  part.query_positions = positions.view();
  part.token_to_request = requests.view();
  part.page_table = line_of(inputs.page_table, request);
  part.sequence_lengths = line_of(inputs.sequence_lengths, request);
  part.query_start_loc.reset();
  return subject.select_paged(part);
}

std::optional<Tensor> plane(const std::vector<PagedSelectOutputs>& parts, std::int64_t rows) {
  std::int64_t width = -1;
  for (const PagedSelectOutputs& part : parts)
    if (part.block_scores) width = std::max(width, part.block_scores->extent(1));
  if (width < 0) return std::nullopt;
  Tensor scores(DType::float32, {rows, width});
  std::ranges::fill(scores.as<float>(), std::numeric_limits<float>::quiet_NaN());
  return scores;
}

}  // namespace

PagedSelectOutputs PerRequestSubject::select_paged(const PagedSelectInputs& inputs) {
  if (inputs.page_table.extent(0) == 0) return subject_->select_paged(inputs);
  const std::int64_t rows = inputs.index_query.extent(0), k = inputs.geometry.block_topk;
  const std::vector<RowNumbers> split = split_rows(inputs);
  std::vector<PagedSelectOutputs> parts(split.size());
  for (std::size_t request = 0; request < split.size(); ++request)
    if (!split[request].empty())
      parts[request] = of_one_request(*subject_, inputs, static_cast<std::int64_t>(request), split[request]);

  PagedSelectOutputs outputs;
  outputs.selected_tokens = Tensor(DType::int32, {rows, inputs.geometry.token_width()});
  const bool blocks =
      std::ranges::any_of(parts, [](const auto& part) { return part.selected_blocks.has_value(); });
  if (blocks) outputs.selected_blocks = Tensor(DType::int32, {rows, k});
  outputs.block_scores = plane(parts, rows);
  for (std::size_t request = 0; request < split.size(); ++request) {
    if (split[request].empty()) continue;
    scatter(parts[request].selected_tokens, split[request], outputs.selected_tokens);
    scatter(parts[request].selected_blocks, split[request], outputs.selected_blocks);
    scatter(parts[request].block_scores, split[request], outputs.block_scores);
  }
  return outputs;
}

}  // namespace plumbline
