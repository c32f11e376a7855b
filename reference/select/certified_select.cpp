#include "reference/select/certified_select.h"

#include "fixtures/error.h"
#include "reference/numeric/exact_dot.h"
#include "reference/select/contest.h"
#include "reference/select/panel_filter.h"
#include "reference/select/select_views.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <vector>

#include <omp.h>

namespace plumbline {
namespace {

/// Query heads of a panel: 96 KiB of them at 128 dimensions stay in a core's second-level cache.
constexpr std::int64_t kPanelHeads = 192;
/// Panels per thread between two deliveries to the sink.
constexpr std::int64_t kBatchPanels = 64;

/// Products below which waking other threads costs more than they save.
constexpr std::int64_t kSerialProducts = std::int64_t{1} << 22;

int worthwhile_threads(const SelectInputs& inputs) {
  const SelectGeometry& geometry = inputs.geometry;
  const std::int64_t per_row =
      std::int64_t{geometry.index_heads} * geometry.index_head_dim * largest_visible(inputs);
  return inputs.rows == 0 || per_row < kSerialProducts / inputs.rows ? 1 : omp_get_max_threads();
}

const FilterKernel* kernel_of(const CertifyOptions& options) {
  if (!filter_available(options.filter))
    throw InputError("this machine cannot run the selection filter asked for");
  return find_filter_kernel(options.filter);
}

}  // namespace

struct CertifiedSelector::State {
  State(const SelectInputs& select_inputs, std::span<const std::uint8_t> valid, const CertifyOptions& options)
      : inputs(select_inputs),
        key_valid(valid),
        threads(options.threads > 0 ? options.threads : worthwhile_threads(inputs)),
        keys(*inputs.index_key, key_valid, largest_visible(inputs)),
        kernel(kernel_of(options)) {
    if (kernel != nullptr) filter_keys.emplace(keys, *kernel, threads);
  }

  bool is_valid(std::int64_t block) const {
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
      if (is_valid(block) || invalid_seats-- > 0) result.blocks.push_back(static_cast<std::int32_t>(block));
    }
    return result;
  }

  class Worker;

  SelectInputs inputs;
  std::span<const std::uint8_t> key_valid;
  int threads;
  SelectableKeys keys;
  const FilterKernel* kernel;  // null: decide every block exactly
  std::optional<FilterKeys> filter_keys;
};

/// Certifies panels of rows; one per thread.
class CertifiedSelector::State::Worker {
 public:
  explicit Worker(const State& state) : state_(state), decider_(state.keys) {
    const SelectGeometry& geometry = state.inputs.geometry;
    if (state.kernel != nullptr) {
      filter_.emplace(*state.kernel, *state.filter_keys, geometry.index_heads, geometry.index_head_dim);
    }
  }

  /// Rows from `first` on, as many as `results` has entries, all of them nullopt.
  void certify(std::int64_t first, std::span<std::optional<CertifiedRow>> results) {
    if (filter_) filter_->reset(static_cast<std::int64_t>(results.size()));
    open_rows_.clear();
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = certify_at_sight(first, i);
    if (filter_) filter_->run();
    for (std::size_t i = 0; i < open_rows_.size(); ++i) {
      const OpenRow& open = open_rows_[i];
      if (filter_) {
        filter_->finish(static_cast<std::int64_t>(i), contest_);
      } else {
        contest_.open.resize(static_cast<std::size_t>(open.row.slots));
        std::iota(contest_.open.begin(), contest_.open.end(), 0);
      }
      results[open.result] = decider_.decide(open.row, contest_, open.query);
    }
  }

 private:
  struct OpenRow {
    std::size_t result;
    RowInQuestion row;
    ExactQuery query;
  };

  /// The row when it needs no scores; otherwise nullopt, and the row is opened if it has exact scores.
  std::optional<CertifiedRow> certify_at_sight(std::int64_t first, std::size_t offset) {
    const std::int64_t index = first + static_cast<std::int64_t>(offset);
    const SelectGeometry& geometry = state_.inputs.geometry;
    const std::int64_t visible = visible_of(state_.inputs, index);
    const std::optional<std::vector<float>> query = finite_query(state_.inputs, index);
    if (!query || !state_.keys.finite_below(visible)) return std::nullopt;
    const RowInQuestion row{visible, state_.keys.slots_below(visible), geometry.block_topk};
    if (row.visible <= row.k || row.slots < row.k) return state_.undisputed(row);
    open_rows_.push_back({offset, row, ExactQuery(*query, geometry.index_heads)});
    if (filter_) filter_->add_row(row, *query);
    return std::nullopt;
  }

  const State& state_;
  ContestDecider decider_;
  std::optional<PanelFilter> filter_;
  std::vector<OpenRow> open_rows_;
  Contest contest_;
};

bool filter_available(CertifyOptions::Filter filter) {
  return filter == CertifyOptions::Filter::off || find_filter_kernel(filter) != nullptr;
}

CertifiedSelector::CertifiedSelector(const SelectInputs& inputs, std::span<const std::uint8_t> key_valid,
                                     CertifyOptions options) {
  require_scored_selection(inputs, key_valid);
  state_ = std::make_unique<State>(inputs, key_valid, options);
}
CertifiedSelector::~CertifiedSelector() = default;

std::optional<CertifiedRow> CertifiedSelector::row(std::int64_t index) const {
  std::optional<CertifiedRow> result;
  State::Worker(*state_).certify(index, {&result, 1});
  return result;
}

void CertifiedSelector::rows(
    const std::function<void(std::int64_t row, const std::optional<CertifiedRow>&)>& sink) const {
  const std::int64_t rows = state_->inputs.rows;
  const int threads = state_->threads;
  const std::int64_t panel_rows =
      std::clamp<std::int64_t>((rows + threads - 1) / threads, 1,
                               std::max<std::int64_t>(1, kPanelHeads / state_->inputs.geometry.index_heads));
  const std::int64_t batch_rows = panel_rows * kBatchPanels * threads;
  std::vector<State::Worker> workers;
  for (int thread = 0; thread < threads; ++thread) workers.emplace_back(*state_);
  std::vector<std::optional<CertifiedRow>> batch;
  for (std::int64_t first = 0; first < rows; first += batch_rows) {
    const std::int64_t count = std::min(batch_rows, rows - first);
    batch.assign(static_cast<std::size_t>(count), std::nullopt);
    std::exception_ptr failure;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (std::int64_t start = 0; start < count; start += panel_rows) {
      try {
        const auto results = std::span(batch).subspan(
            static_cast<std::size_t>(start), static_cast<std::size_t>(std::min(panel_rows, count - start)));
        workers[static_cast<std::size_t>(omp_get_thread_num())].certify(first + start, results);
      } catch (...) {  // must not leave the parallel region
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

bool CertifiedSelector::valid(std::int64_t block) const { return state_->is_valid(block); }

}  // namespace plumbline
