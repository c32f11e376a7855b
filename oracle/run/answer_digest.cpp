#include "oracle/run/answer_digest.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

namespace plumbline {
namespace {

void feed(Sha256& hash, std::string_view text) { hash.update(std::as_bytes(std::span(text))); }

void feed_elements(Sha256& hash, const TensorView& tensor, std::size_t axis, const std::byte* data) {
  const auto size = static_cast<std::int64_t>(size_of(tensor.dtype));
  if (axis == tensor.shape.size()) return hash.update({data, static_cast<std::size_t>(size)});
  for (std::int64_t i = 0; i < tensor.shape[axis]; ++i)
    feed_elements(hash, tensor, axis + 1, data + i * tensor.strides[axis] * size);
}

void feed(Sha256& hash, const char* name, const TensorView& tensor) {
  feed(hash, fmt::format("{}:{}{};", name, name_of(tensor.dtype), to_string(tensor.shape)));
  if (tensor.contiguous()) {
    const auto count = static_cast<std::size_t>(element_count(tensor.shape));
    hash.update({tensor.data, count * size_of(tensor.dtype)});
  } else {
    feed_elements(hash, tensor, 0, tensor.data);
  }
}

void feed(Sha256& hash, const char* name, const std::optional<TensorView>& tensor) {
  if (tensor) feed(hash, name, *tensor);
}

void feed(Sha256& hash, const SelectGeometry& geometry) {
  feed(hash, fmt::format("heads {} dim {} ratio {} k {};", geometry.index_heads, geometry.index_head_dim,
                         geometry.compress_ratio, geometry.block_topk));
}

std::int32_t int32_at(const TensorView& tensor, std::int64_t index) {
  std::int32_t value = 0;
  std::memcpy(&value, tensor.at(index), sizeof value);
  return value;
}

}  // namespace

void AnswerDigest::add_scores(const Tensor& scores, const TensorView& visible) {
  const std::int64_t rows = scores.extent(0), blocks = scores.extent(1);
  const std::span<const std::uint32_t> bits = scores.as<std::uint32_t>();
  const bool first = !any_scores_;
  any_scores_ = true;
  const std::int64_t step = std::max<std::int64_t>(1, rows / static_cast<std::int64_t>(Answers::kSamples));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t seen = std::clamp<std::int64_t>(int32_at(visible, row), 0, blocks);
    const auto line = bits.subspan(static_cast<std::size_t>(row * blocks), static_cast<std::size_t>(seen));
    scores_.update(std::as_bytes(line));
    // An odd stride through the row, so that neighbouring rows show other columns.
    if (first && row % step == 0 && seen > 0 && sample_.size() < Answers::kSamples)
      sample_.push_back(line[static_cast<std::size_t>(row * 7919 % seen)]);
  }
}

void AnswerDigest::add(const SelectInputs& inputs, const SelectOutputs& outputs) {
  any_ = any_selection_ = true;
  feed(inputs_, inputs.geometry);
  feed(inputs_, "query", inputs.index_query);
  feed(inputs_, "key", inputs.index_key);
  feed(inputs_, "scores", inputs.scores);
  feed(inputs_, "visible", inputs.visible_blocks);
  feed(selection_, "blocks", outputs.blocks.view());
  if (outputs.scores) add_scores(*outputs.scores, inputs.visible_blocks);
}

void AnswerDigest::add(const PagedSelectInputs& inputs, const PagedSelectOutputs& outputs) {
  any_ = any_selection_ = true;
  feed(inputs_, inputs.geometry);
  feed(inputs_, "query", inputs.index_query);
  feed(inputs_, "cache", inputs.index_key_cache);
  feed(inputs_, "pages", inputs.page_table);
  feed(inputs_, "requests", inputs.token_to_request);
  feed(inputs_, "positions", inputs.query_positions);
  feed(inputs_, "lengths", inputs.sequence_lengths);
  feed(inputs_, "starts", inputs.query_start_loc);
  feed(selection_, "tokens", outputs.selected_tokens.view());
}

void AnswerDigest::sample_every(std::span<const std::uint32_t> bits) {
  const std::size_t step = bits.size() / Answers::kSamples + 1;
  for (std::size_t at = 0; at < bits.size(); at += step) sample_.push_back(bits[at]);
}

void AnswerDigest::add(const AttentionInputs& inputs, const AttentionOutputs& outputs) {
  any_ = true;
  feed(inputs_, fmt::format("scale {:a} {:a} {:a};", inputs.softmax_scale, inputs.k_scale, inputs.v_scale));
  feed(inputs_, "query", inputs.query);
  feed(inputs_, "keys", inputs.key_cache);
  feed(inputs_, "values", inputs.value_cache);
  feed(inputs_, "tokens", inputs.selected_tokens);
  feed(inputs_, "pages", inputs.page_table);
  feed(inputs_, "requests", inputs.token_to_request);
  feed(inputs_, "gate", inputs.output_gate);
  feed(scores_, "output", outputs.output.view());
  if (outputs.lse) {
    feed(scores_, "lse", outputs.lse->view());
    if (!any_scores_) sample_every(outputs.lse->as<std::uint32_t>());
  }
  any_scores_ = true;
}

Answers AnswerDigest::finish() {
  Answers answers;
  if (!any_) return answers;
  answers.inputs = inputs_.finish();
  if (any_selection_) answers.selection = selection_.finish();
  if (any_scores_) answers.scores = scores_.finish();
  answers.score_sample = std::move(sample_);
  return answers;
}

}  // namespace plumbline
