#include "oracle/run/selection_taps.h"

#include "oracle/judge/error_model.h"
#include "oracle/judge/slice.h"
#include "oracle/replay/attended_tokens.h"
#include "oracle/replay/layer_replay.h"
#include "reference/model/expand_tokens.h"
#include "reference/model/rounding_profile.h"
#include "reference/model/score_scale.h"
#include "reference/numeric/exact_dot.h"
#include "reference/select/reference_subject.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr const char* kScores = "selection/scores";
constexpr const char* kBlocks = "selection/blocks";

Rows<double> numbers_of(const Tensor& tensor) {
  Rows<double> rows(tensor.extent(0), tensor.extent(1));
  for (std::size_t i = 0; i < rows.numbers.size(); ++i)
    rows.numbers[i] = tensor.dtype == DType::int32 ? static_cast<double>(tensor.as<std::int32_t>()[i])
                                                   : static_cast<double>(tensor.as<float>()[i]);
  return rows;
}

/// Rows [first, first + count) of a recorded table, as wide as `width`, filled up with `filler`.
Rows<double> recorded_rows(const Tensor& table, std::int64_t first, std::int64_t count, std::int64_t width,
                           double filler) {
  const Rows<double> all = numbers_of(table);
  Rows<double> rows(count, width);
  std::ranges::fill(rows.numbers, filler);
  for (std::int64_t r = 0; r < count; ++r)
    std::ranges::copy(all.row(first + r).first(static_cast<std::size_t>(std::min(width, all.width))),
                      rows.row(r).begin());
  return rows;
}

void require_rows(const SelectionCall& call, const char* dataset) {
  const Tensor& table = call.forward.tensor(dataset);
  if (table.shape.size() == 2 && table.extent(0) >= call.first_row + call.rows()) return;
  throw InputError(fmt::format("/forward/{}/{}: expected at least {} rows, found {}", call.forward.name(),
                               dataset, call.first_row + call.rows(), to_string(table.shape)));
}

/// Rows of a call that have a complete block, with the sequence and its live position.
struct RankedRow {
  const LiveTokens* live;
  std::int64_t position;
};
std::vector<RankedRow> ranked_rows(const SelectionCall& call) {
  std::vector<RankedRow> rows;
  for (const LiveTokens& live : call.forward.sequences()) {
    const std::int64_t end = live.earlier + live.count;
    for (std::int64_t p = end - call.rows_of(live); p < end; ++p) rows.push_back({&live, p});
  }
  return rows;
}

void compare_blocks(const SelectionCall& call, const std::string& route, const SelectInputs& scored,
                    const Tensor& blocks, std::vector<TapReport>& taps) {
  TapComparison comparison(call.forward.name(), kBlocks, "indexer.blocks " + route, DType::int32);
  const Rows<double> found = numbers_of(blocks);
  comparison.add(exact_rows(numbers_of(ReferenceSubject().select(scored).blocks)), found, 0, 0);
  if (call.forward.has(kBlocks)) {
    require_rows(call, kBlocks);
    comparison.add_recorded(
        found, recorded_rows(call.forward.tensor(kBlocks), call.first_row, found.rows, found.width, -1));
  }
  taps.push_back(comparison.report());
}

/// The rows of a paged call, all live tokens of the call, and where each has its queries.
class PagedRows {
 public:
  explicit PagedRows(const SelectionCall& call) {
    const TrialOutcome& outcome = call.outcome;
    const std::int64_t heads = call.geometry.index_heads, dim = call.geometry.index_head_dim;
    std::int64_t rows = 0;
    for (const LiveTokens& live : call.forward.sequences()) rows += live.count;
    const auto requests = static_cast<std::int64_t>(outcome.queries.size());
    query_ = Tensor(outcome.keys.dtype, {rows, heads, dim});
    keys_ = outcome.keys;
    keys_.shape = {call.pages.pages, call.pages.page_size, 1, dim};
    request_ = Tensor(DType::int32, {rows});
    position_ = Tensor(DType::int64, {rows});
    length_ = Tensor(DType::int32, {requests});
    const std::size_t bytes = static_cast<std::size_t>(heads * dim) * size_of(query_.dtype);
    std::size_t row = 0;
    for (const LiveTokens& live : call.forward.sequences()) {
      const auto request = static_cast<std::size_t>(live.batch);
      length_.as<std::int32_t>()[request] = static_cast<std::int32_t>(live.earlier + live.count);
      std::memcpy(query_.bytes.data() + row * bytes,
                  outcome.queries[request].bytes.data() + static_cast<std::size_t>(live.earlier) * bytes,
                  static_cast<std::size_t>(live.count) * bytes);
      for (std::int64_t t = 0; t < live.count; ++t, ++row) {
        request_.as<std::int32_t>()[row] = static_cast<std::int32_t>(live.batch);
        position_.as<std::int64_t>()[row] = live.earlier + t;
      }
    }
    inputs_.geometry = call.geometry;
    inputs_.index_query = query_.view();
    inputs_.index_key_cache = keys_.view();
    inputs_.page_table = call.pages.table.view();
    inputs_.token_to_request = request_.view();
    inputs_.query_positions = position_.view();
    inputs_.sequence_lengths = length_.view();
  }
  PagedRows(const PagedRows&) = delete;
  PagedRows& operator=(const PagedRows&) = delete;

  const PagedSelectInputs& inputs() const { return inputs_; }
  std::int64_t rows() const { return query_.extent(0); }
  TensorView query(std::int64_t row) const { return slice(query_, row); }
  std::int64_t visible(std::int64_t row) const {
    return (position(row) + 1) / inputs_.geometry.compress_ratio;
  }
  std::int64_t position(std::int64_t row) const {
    return position_.as<std::int64_t>()[static_cast<std::size_t>(row)];
  }

 private:
  Tensor query_, keys_, request_, position_, length_;
  PagedSelectInputs inputs_;
};

TensorView key_of(const SelectionCall& call, std::int64_t request, std::int64_t block) {
  const std::int64_t logical = block / call.pages.page_size;
  const std::int64_t page =
      call.pages.table
          .as<std::int32_t>()[static_cast<std::size_t>(request * call.pages.table.extent(1) + logical)];
  TensorView key = call.outcome.keys.view();
  key.data = key.at(page, block % call.pages.page_size);
  key.shape = {call.geometry.index_head_dim};
  key.strides = {1};
  return key;
}

void compare_scores_of(const SelectionCall& call, const std::string& route, const PagedRows& rows,
                       const Tensor& scores, std::vector<TapReport>& taps) {
  const SelectGeometry& geometry = call.geometry;
  const auto errors = error_model_for(call.capability, geometry.index_heads, geometry.index_head_dim);
  const ScoreScale scale = hf_cuda_profile().score_scale;
  TapComparison comparison(call.forward.name(), kScores, "indexer.scores " + route, DType::float32);
  const Tensor* table = call.forward.has(kScores) ? &call.forward.tensor(kScores) : nullptr;
  if (table != nullptr) require_rows(call, kScores);
  std::int64_t row = 0, ranked = call.first_row;
  for (const LiveTokens& live : call.forward.sequences()) {
    for (std::int64_t t = 0; t < live.count; ++t, ++row) {
      const std::int64_t visible = rows.visible(row);
      if (visible == 0) continue;
      Rows<Bounded> ours(1, visible);
      Rows<double> found(1, visible);
      for (std::int64_t block = 0; block < visible; ++block) {
        const TensorView query = rows.query(row), key = key_of(call, live.batch, block);
        const double exact =
            scaled_score(exact_relu_sum(query, key).to_double(), scale, geometry.index_head_dim);
        const double bound = scaled_score(errors->bound(query, key, magnitude_sum(query, key)), scale,
                                          geometry.index_head_dim);
        ours.row(0)[static_cast<std::size_t>(block)] = {exact, bound + std::abs(exact) * 0x1p-51};
        found.row(0)[static_cast<std::size_t>(block)] =
            scores.as<float>()[static_cast<std::size_t>(row * scores.extent(1) + block)];
      }
      comparison.add(ours, found, live.batch, live.first + t);
      if (table != nullptr) comparison.add_recorded(found, recorded_rows(*table, ranked, 1, visible, NAN));
      ++ranked;
    }
  }
  taps.push_back(comparison.report());
}

void compare_tokens(const SelectionCall& call, const std::string& route, const PagedRows& rows,
                    const PagedSelectOutputs& outputs, const std::string& tap, std::vector<TapReport>& taps) {
  TapComparison comparison(call.forward.name(), tap_name(tap), "indexer.tokens " + route, DType::int32);
  const Rows<double> found = numbers_of(outputs.selected_tokens);
  const std::int64_t k = call.geometry.block_topk;
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(call.geometry.token_width()));
  std::int64_t row = 0;
  for (const LiveTokens& live : call.forward.sequences()) {
    if (live.count == 0) continue;
    Rows<double> attended(live.count, live.earlier + live.count);
    for (std::int64_t t = 0; t < live.count; ++t, ++row) {
      const std::int64_t position = rows.position(row);
      expand_tokens(outputs.selected_blocks->as<std::int32_t>().subspan(static_cast<std::size_t>(row * k),
                                                                        static_cast<std::size_t>(k)),
                    position, live.earlier + live.count, call.geometry.compress_ratio, tokens);
      Rows<Bounded> ours(1, found.width);
      for (std::size_t i = 0; i < tokens.size(); ++i) ours.numbers[i] = {static_cast<double>(tokens[i]), 0};
      Rows<double> one(1, found.width);
      std::ranges::copy(found.row(row), one.numbers.begin());
      comparison.add(ours, one, live.batch, live.first + t);
      for (const double token : one.numbers) {
        if (token >= 0 && token < static_cast<double>(attended.width))
          attended.row(t)[static_cast<std::size_t>(token)] = 1;
      }
    }
    if (call.forward.has(tap)) comparison.add_recorded(attended, attended_by_mask(call.forward, tap, live));
  }
  taps.push_back(comparison.report());
}

/// The scores a route selected on, of the rows that have any, as given ones.
struct ScoredRows {
  Tensor scores, visible, blocks;
  SelectInputs inputs;

  ScoredRows(const SelectionCall& call, const PagedRows& rows, const PagedSelectOutputs& outputs) {
    const Tensor& all = *outputs.block_scores;
    const std::int64_t columns = all.extent(1), k = call.geometry.block_topk;
    scores = Tensor(DType::float32, {call.rows(), columns});
    visible = Tensor(DType::int32, {call.rows()});
    blocks = Tensor(DType::int32, {call.rows(), k});
    std::int64_t to = 0;
    for (std::int64_t row = 0; row < rows.rows(); ++row) {
      if (rows.visible(row) == 0) continue;
      const auto copy = [&](auto type, const Tensor& from, Tensor& target, std::int64_t width) {
        const auto source = from.as<decltype(type)>().subspan(static_cast<std::size_t>(row * width),
                                                              static_cast<std::size_t>(width));
        std::ranges::copy(source, target.as<decltype(type)>().begin() + to * width);
      };
      copy(float{}, all, scores, columns);
      copy(std::int32_t{}, *outputs.selected_blocks, blocks, k);
      visible.as<std::int32_t>()[static_cast<std::size_t>(to++)] =
          static_cast<std::int32_t>(rows.visible(row));
    }
    inputs.geometry = call.geometry;
    inputs.rows = call.rows();
    inputs.blocks = columns;
    inputs.scores = scores.view();
    inputs.visible_blocks = visible.view();
  }
  ScoredRows(const ScoredRows&) = delete;
  ScoredRows& operator=(const ScoredRows&) = delete;
};

}  // namespace

std::int64_t SelectionCall::rows_of(const LiveTokens& live) const {
  return std::clamp<std::int64_t>(live.earlier + live.count - (geometry.compress_ratio - 1), 0, live.count);
}

std::int64_t SelectionCall::rows() const {
  std::int64_t all = 0;
  for (const LiveTokens& live : forward.sequences()) all += rows_of(live);
  return all;
}

void replay_topk(SelectSubject& subject, const std::string& route, const SelectionCall& call,
                 const WantsTap& wants, std::vector<TapReport>& taps) {
  if (!wants(kBlocks) || call.rows() == 0) return;
  require_rows(call, kScores);
  const Tensor& table = call.forward.tensor(kScores);
  const std::int64_t blocks = table.extent(1);
  Tensor scores(DType::float32, {call.rows(), blocks}), visible(DType::int32, {call.rows()});
  const auto from = table.as<float>().subspan(static_cast<std::size_t>(call.first_row * blocks),
                                              static_cast<std::size_t>(call.rows() * blocks));
  std::ranges::copy(from, scores.as<float>().begin());
  std::size_t row = 0;
  for (const RankedRow& ranked : ranked_rows(call))
    visible.as<std::int32_t>()[row++] =
        static_cast<std::int32_t>((ranked.position + 1) / call.geometry.compress_ratio);
  SelectInputs inputs;
  inputs.geometry = call.geometry;
  inputs.rows = call.rows();
  inputs.blocks = blocks;
  inputs.scores = scores.view();
  inputs.visible_blocks = visible.view();
  compare_blocks(call, route, inputs, subject.select(inputs).blocks, taps);
}

void replay_selection(SelectSubject& subject, const std::string& route, const SelectionCall& call,
                      const WantsTap& wants, std::vector<TapReport>& taps) {
  const std::string mask = layer_tap(call.layer, ".self_attn.indexer/out");
  if ((!wants(kScores) && !wants(kBlocks) && !wants(tap_name(mask))) || call.rows() == 0) return;
  const PagedRows rows(call);
  const PagedSelectOutputs outputs = subject.select_paged(rows.inputs());
  if (!outputs.selected_blocks || !outputs.block_scores)
    throw UnsupportedCase(route + " shows neither its blocks nor its scores");
  if (wants(kScores)) compare_scores_of(call, route, rows, *outputs.block_scores, taps);
  if (wants(kBlocks)) {
    const ScoredRows scored(call, rows, outputs);
    compare_blocks(call, route, scored.inputs, scored.blocks, taps);
  }
  if (wants(tap_name(mask))) compare_tokens(call, route, rows, outputs, mask, taps);
}

}  // namespace plumbline
