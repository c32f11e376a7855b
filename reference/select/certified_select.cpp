#include "reference/select/certified_select.h"

#include "fixtures/error.h"
#include "reference/numeric/decode_row.h"
#include "reference/numeric/exact_dot.h"
#include "reference/select/contest.h"
#include "reference/select/selectable_keys.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

namespace plumbline {
namespace {

constexpr std::int64_t kMaxProducts = std::int64_t{1} << 21;  // ExactScore's range
constexpr std::int64_t kPanelRows = 48;
constexpr std::int64_t kBatchRows = 32 * kPanelRows;

void require(bool fits, const char* what, const std::string& expected, const std::string& found) {
  if (!fits)
    throw InputError(fmt::format("selection inputs: {}: expected {}, found {}", what, expected, found));
}

void require_shape(const TensorView& view, const char* what, const Shape& shape) {
  require(view.shape == shape, what, to_string(shape), to_string(view.shape));
}

void validate(const SelectInputs& inputs, std::span<const std::uint8_t> key_valid) {
  const SelectGeometry& geometry = inputs.geometry;
  require(inputs.index_query && inputs.index_key, "index_query and index_key", "both", "one or none");
  require(geometry.block_topk >= 1, "block_topk", "at least 1", fmt::to_string(geometry.block_topk));
  require(geometry.index_heads >= 1, "index_heads", "at least 1", fmt::to_string(geometry.index_heads));
  require(geometry.index_head_dim >= 1, "index_head_dim", "at least 1",
          fmt::to_string(geometry.index_head_dim));
  const std::int64_t products = std::int64_t{geometry.index_heads} * geometry.index_head_dim;
  require(products <= kMaxProducts, "index_heads * index_head_dim", "at most 2^21", fmt::to_string(products));
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

}  // namespace

struct CertifiedSelector::State {
  SelectInputs inputs;
  std::span<const std::uint8_t> key_valid;
  CertifyOptions options;
  SelectableKeys keys;

  bool valid(std::int64_t block) const {
    return key_valid.empty() || key_valid[static_cast<std::size_t>(block)] != 0;
  }

  /// A row that takes no exact arithmetic: it selects everything, or its cutoff is -infinity.
  CertifiedRow undisputed(const RowInQuestion& row) const {
    CertifiedRow result;
    result.visible = row.visible;
    result.selects = row.visible > row.k;
    if (result.selects) {
      result.cutoff_is_minus_infinity = result.runner_up_is_minus_infinity = true;
      result.tied_at_cutoff = true;
      result.tie_class_size = row.visible - row.slots;
      result.tie_class_selected = row.k - row.slots;
    }
    std::int64_t invalid_seats = result.selects ? result.tie_class_selected : row.visible;
    for (std::int64_t block = 0; block < row.visible; ++block) {
      if (valid(block) || invalid_seats-- > 0) result.blocks.push_back(static_cast<std::int32_t>(block));
    }
    return result;
  }

  std::optional<CertifiedRow> certify(std::int64_t index, ContestDecider& decider) const {
    const auto heads = inputs.geometry.index_heads, dim = inputs.geometry.index_head_dim;
    std::vector<float> query(static_cast<std::size_t>(heads) * static_cast<std::size_t>(dim));
    const TensorView view = query_of(inputs, index);
    for (std::int32_t head = 0; head < heads; ++head) {
      decode_row(
          view.dtype, view.at(head), view.strides[1],
          std::span(query).subspan(static_cast<std::size_t>(head) * dim, static_cast<std::size_t>(dim)));
    }
    RowInQuestion row{visible_of(inputs, index), 0, inputs.geometry.block_topk};
    if (!keys.finite_below(row.visible) ||
        !std::all_of(query.begin(), query.end(), [](float q) { return std::isfinite(q); })) {
      return std::nullopt;
    }
    row.slots = keys.slots_below(row.visible);
    if (row.visible <= row.k || row.slots < row.k) return undisputed(row);
    Contest contest;
    contest.open.resize(static_cast<std::size_t>(row.slots));
    std::iota(contest.open.begin(), contest.open.end(), 0);
    return decider.decide(row, contest, ExactQuery(query, heads));
  }
};

bool filter_available(CertifyOptions::Filter filter) {
  return filter == CertifyOptions::Filter::automatic || filter == CertifyOptions::Filter::off;
}

CertifiedSelector::CertifiedSelector(const SelectInputs& inputs, std::span<const std::uint8_t> key_valid,
                                     CertifyOptions options) {
  validate(inputs, key_valid);
  state_ = std::make_unique<State>(State{
      inputs, key_valid, options, SelectableKeys(*inputs.index_key, key_valid, largest_visible(inputs))});
}
CertifiedSelector::~CertifiedSelector() = default;

std::optional<CertifiedRow> CertifiedSelector::row(std::int64_t index) const {
  ContestDecider decider(state_->keys);
  return state_->certify(index, decider);
}

void CertifiedSelector::rows(
    const std::function<void(std::int64_t row, const std::optional<CertifiedRow>&)>& sink) const {
  const std::int64_t rows = state_->inputs.rows;
  const int threads = state_->options.threads > 0 ? state_->options.threads : omp_get_max_threads();
  std::vector<ContestDecider> deciders(static_cast<std::size_t>(threads), ContestDecider(state_->keys));
  std::vector<std::optional<CertifiedRow>> batch;
  for (std::int64_t first = 0; first < rows; first += kBatchRows) {
    const std::int64_t count = std::min(kBatchRows, rows - first);
    batch.assign(static_cast<std::size_t>(count), std::nullopt);
    std::exception_ptr failure;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (std::int64_t i = 0; i < count; ++i) {
      try {
        batch[static_cast<std::size_t>(i)] =
            state_->certify(first + i, deciders[static_cast<std::size_t>(omp_get_thread_num())]);
      } catch (...) {
#pragma omp critical
        failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
    for (std::int64_t i = 0; i < count; ++i) sink(first + i, batch[static_cast<std::size_t>(i)]);
  }
}

ExactScore CertifiedSelector::score(std::int64_t row, std::int64_t block) const {
  return exact_relu_sum(query_of(state_->inputs, row), key_of(state_->inputs, block));
}

double CertifiedSelector::magnitude(std::int64_t row, std::int64_t block) const {
  return magnitude_sum(query_of(state_->inputs, row), key_of(state_->inputs, block));
}

bool CertifiedSelector::valid(std::int64_t block) const { return state_->valid(block); }

}  // namespace plumbline
