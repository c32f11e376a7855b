#include "oracle/plugin/plugin_subject.h"

#include "oracle/plugin/score_bound.h"
#include "reference/select/select_views.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

namespace plumbline {
namespace {

PluginInput absent(std::string name) { return {std::move(name), DType::int32, {}, {}, 0, 0, {}}; }

}  // namespace

std::string PluginSubject::name() const {
  return "plugin:" + std::filesystem::path(process_->library()).filename().string();
}

std::vector<Tensor> PluginSubject::ask(PluginCall call) {
  if (!process_->facts().offers_operation(call.operation))
    throw UnsupportedCase(fmt::format("the plugin offers no {}", name_of(call.operation)));
  call.arrangement = arrangement_;
  call.rubbish = rubbish_;
  PluginAnswer answer = process_->ask(call);
  if (answer.kind == PluginAnswer::Kind::unsupported)
    throw UnsupportedCase(answer.message.empty() ? "the plugin does not serve it" : answer.message);
  return std::move(answer.outputs);
}

Tensor PluginSubject::score(const SelectInputs& inputs) {
  PluginCall call;
  call.operation = PluginOperation::score;
  call.geometry = inputs.geometry;
  call.inputs = {plugin_input("query", *inputs.index_query), plugin_input("key", *inputs.index_key),
                 plugin_input("visible_blocks", inputs.visible_blocks)};
  call.outputs = {{"scores", DType::float32, {inputs.rows, inputs.blocks}}};
  Tensor scores = std::move(ask(std::move(call)).front());
  for (std::int64_t row = 0; row < inputs.rows; ++row) {
    const auto line = scores.as<float>().subspan(static_cast<std::size_t>(row * inputs.blocks),
                                                 static_cast<std::size_t>(inputs.blocks));
    std::ranges::fill(line.subspan(static_cast<std::size_t>(visible_of(inputs, row))),
                      std::numeric_limits<float>::quiet_NaN());
  }
  return scores;
}

Tensor PluginSubject::select_on(const TensorView& scores, const SelectInputs& inputs) {
  PluginCall call;
  call.operation = PluginOperation::select;
  call.geometry = inputs.geometry;
  call.inputs = {plugin_input("scores", scores), plugin_input("visible_blocks", inputs.visible_blocks)};
  call.outputs = {{"blocks", DType::int32, {inputs.rows, inputs.geometry.block_topk}}};
  return std::move(ask(std::move(call)).front());
}

SelectOutputs PluginSubject::select(const SelectInputs& inputs) {
  if (inputs.scores) return {select_on(*inputs.scores, inputs), std::nullopt};
  Tensor scores =
      process_->facts().offers_operation(PluginOperation::score) ? score(inputs) : plain_scores(inputs);
  Tensor blocks = select_on(scores.view(), inputs);
  return {std::move(blocks), std::move(scores)};
}

PagedSelectOutputs PluginSubject::select_paged(const PagedSelectInputs& inputs) {
  PluginCall call;
  call.operation = PluginOperation::select_paged;
  call.geometry = inputs.geometry;
  call.inputs = {plugin_input("query", inputs.index_query),
                 plugin_input("key_cache", inputs.index_key_cache),
                 plugin_input("page_table", inputs.page_table),
                 plugin_input("token_to_request", inputs.token_to_request),
                 plugin_input("query_positions", inputs.query_positions),
                 plugin_input("sequence_lengths", inputs.sequence_lengths),
                 inputs.query_start_loc ? plugin_input("query_start_loc", *inputs.query_start_loc)
                                        : absent("query_start_loc")};
  const std::int64_t rows = inputs.index_query.extent(0);
  call.outputs = {{"tokens", DType::int32, {rows, inputs.geometry.token_width()}},
                  {"blocks", DType::int32, {rows, inputs.geometry.block_topk}}};
  std::vector<Tensor> outputs = ask(std::move(call));
  return {std::move(outputs[0]), std::move(outputs[1]), std::nullopt};
}

}  // namespace plumbline
