#include "reference/select/reference_subject.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "reference/model/expand_tokens.h"
#include "reference/model/integer_view.h"
#include "reference/model/page_table.h"
#include "reference/model/request_rows.h"
#include "reference/select/select_by_key.h"
#include "reference/select/select_views.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace plumbline {
namespace {

float element(const TensorView& view, const std::byte* address) {
  return static_cast<float>(decode_element(view.dtype, address));
}

// Σ_h ReLU(Σ_d q·k) with d, then h ascending and ReLU(NaN) = NaN. Every NaN becomes the same positive one:
// the bits a processor gives depend on the order of its operands, which compilers swap.
float float32_score(const TensorView& query, std::int64_t row, const TensorView& key, std::int64_t block) {
  float score = 0;
  for (std::int64_t head = 0; head < query.extent(1); ++head) {
    float dot = 0;
    for (std::int64_t d = 0; d < query.extent(2); ++d)
      dot += element(query, query.at(row, head, d)) * element(key, key.at(block, d));
    score += dot < 0 ? 0.0F : dot;
  }
  return std::isnan(score) ? std::numeric_limits<float>::quiet_NaN() : score;
}

void store(const std::vector<std::int32_t>& blocks, std::int64_t row, Tensor& selection) {
  std::copy(blocks.begin(), blocks.end(), selection.as<std::int32_t>().begin() + row * selection.extent(1));
}

void select_on_given(const SelectInputs& inputs, Tensor& selection) {
  std::vector<float> scores;
  for (std::int64_t row = 0; row < inputs.rows; ++row) {
    const std::int64_t visible = visible_of(inputs, row);
    scores.resize(static_cast<std::size_t>(visible));
    for (std::int64_t block = 0; block < visible; ++block)
      std::memcpy(&scores[static_cast<std::size_t>(block)], inputs.scores->at(row, block), sizeof(float));
    store(select_by_key(scores, visible, inputs.geometry.block_topk), row, selection);
  }
}

class ExactSelection {
 public:
  ExactSelection(const SelectInputs& inputs, std::span<const std::uint8_t> key_valid, CertifyOptions options)
      : inputs_(inputs), selector_(inputs, key_valid, options) {}

  SelectOutputs outputs() {
    SelectOutputs outputs;
    outputs.blocks = Tensor(DType::int32, {inputs_.rows, inputs_.geometry.block_topk});
    std::ranges::fill(outputs.blocks.as<std::int32_t>(), -1);
    std::vector<std::int64_t> without_exact_score;
    selector_.rows([&](std::int64_t row, const std::optional<CertifiedRow>& certified) {
      if (certified) {
        store(certified->blocks, row, outputs.blocks);
      } else {
        without_exact_score.push_back(row);
      }
    });
    if (without_exact_score.empty()) return outputs;
    outputs.scores = Tensor(DType::float32, {inputs_.rows, inputs_.blocks});
    std::ranges::fill(outputs.scores->as<float>(), std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t row = 0; row < inputs_.rows; ++row) {
      const bool exact = !std::ranges::binary_search(without_exact_score, row);
      const std::span<float> scores = outputs.scores->as<float>().subspan(
          static_cast<std::size_t>(row * inputs_.blocks), static_cast<std::size_t>(inputs_.blocks));
      const std::int64_t visible = visible_of(inputs_, row);
      for (std::int64_t block = 0; block < visible; ++block)
        scores[static_cast<std::size_t>(block)] = score(row, block, exact);
      if (!exact) store(select_by_key(scores, visible, inputs_.geometry.block_topk), row, outputs.blocks);
    }
    return outputs;
  }

 private:
  float score(std::int64_t row, std::int64_t block, bool exact) const {
    if (!selector_.valid(block)) return -std::numeric_limits<float>::infinity();
    if (exact) return selector_.score(row, block).to_float();
    return float32_score(*inputs_.index_query, row, *inputs_.index_key, block);
  }

  const SelectInputs& inputs_;
  CertifiedSelector selector_;
};

// A request's scores [its rows, its blocks] into the plane [rows, width] of all, which is NaN elsewhere.
void store_scores(const Tensor& scores, const std::vector<std::int64_t>& numbers, std::int64_t rows,
                  std::int64_t width, std::optional<Tensor>& plane) {
  if (!plane) {
    plane = Tensor(DType::float32, {rows, width});
    std::ranges::fill(plane->as<float>(), std::numeric_limits<float>::quiet_NaN());
  }
  const std::int64_t blocks = scores.extent(1);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    std::copy_n(scores.as<float>().begin() + static_cast<std::ptrdiff_t>(i) * blocks, blocks,
                plane->as<float>().begin() + numbers[i] * width);
}

}  // namespace

SelectOutputs ReferenceSubject::select(const SelectInputs& inputs) {
  if (inputs.scores) {
    SelectOutputs outputs;
    outputs.blocks = Tensor(DType::int32, {inputs.rows, inputs.geometry.block_topk});
    std::ranges::fill(outputs.blocks.as<std::int32_t>(), -1);
    select_on_given(inputs, outputs.blocks);
    return outputs;
  }
  if (!inputs.index_query || !inputs.index_key)
    throw InputError("selection: expected scores, or a query and a key, found neither");
  return ExactSelection(inputs, {}, options_).outputs();
}

PagedSelectOutputs ReferenceSubject::select_paged(const PagedSelectInputs& inputs) {
  const SelectGeometry& geometry = inputs.geometry;
  const std::int64_t rows = inputs.index_query.extent(0), k = geometry.block_topk,
                     width = geometry.token_width();
  PagedSelectOutputs outputs{Tensor(DType::int32, {rows, width}), Tensor(DType::int32, {rows, k}),
                             std::nullopt};
  std::ranges::fill(outputs.selected_tokens.as<std::int32_t>(), -1);
  std::ranges::fill(outputs.selected_blocks->as<std::int32_t>(), -1);
  const std::vector<RequestRows> groups = rows_by_request(inputs);
  std::int64_t widest = 0;
  for (const RequestRows& group : groups) widest = std::max(widest, group.blocks);
  for (const RequestRows& group : groups) {
    const LogicalKeys keys = gather_keys(inputs, group.request, group.blocks);
    SelectInputs logical;
    logical.geometry = geometry;
    logical.rows = static_cast<std::int64_t>(group.numbers.size());
    logical.blocks = group.blocks;
    logical.index_query = group.query.view();
    logical.index_key = keys.keys.view();
    logical.visible_blocks = group.visible.view();
    const SelectOutputs selection = ExactSelection(logical, keys.valid, options_).outputs();
    if (selection.scores) store_scores(*selection.scores, group.numbers, rows, widest, outputs.block_scores);
    const std::int64_t length = integer_at(inputs.sequence_lengths, group.request);
    for (std::int64_t i = 0; i < logical.rows; ++i) {
      const std::int64_t row = group.numbers[static_cast<std::size_t>(i)];
      const auto blocks = selection.blocks.as<std::int32_t>().subspan(static_cast<std::size_t>(i * k),
                                                                      static_cast<std::size_t>(k));
      std::ranges::copy(blocks, outputs.selected_blocks->as<std::int32_t>().begin() + row * k);
      expand_tokens(blocks, integer_at(inputs.query_positions, row), length, geometry.compress_ratio,
                    outputs.selected_tokens.as<std::int32_t>().subspan(static_cast<std::size_t>(row * width),
                                                                       static_cast<std::size_t>(width)));
    }
  }
  return outputs;
}

}  // namespace plumbline
