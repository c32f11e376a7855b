#include "oracle/run/variation_trial.h"

#include "fixtures/cases/generate.h"
#include "oracle/judge/error_model.h"
#include "oracle/judge/score_drift.h"
#include "oracle/run/judge_case.h"
#include "oracle/run/route_trial.h"
#include "oracle/run/row_batch.h"
#include "oracle/run/watched_route.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumbline {
namespace {

template <typename T>
std::span<const T> row_of(const Tensor& tensor, std::int64_t row) {
  const auto width = static_cast<std::size_t>(tensor.extent(1));
  return tensor.as<T>().subspan(static_cast<std::size_t>(row) * width, width);
}

template <typename T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

VariationReport& report_of(CheckResult& check, const std::string& name) {
  for (VariationReport& report : check.variations)
    if (report.name == name) return report;
  VariationReport& report = check.variations.emplace_back();
  report.name = name;
  return report;
}

void fail(CheckResult& check, std::string reason) {
  if (check.status == Status::fail) return;
  check.status = Status::fail;
  check.reason = std::move(reason);
}

void conclude_variations(CheckResult& check) {
  for (const VariationReport& one : check.variations) {
    if (one.rows_changed > 0)
      fail(check, fmt::format("{}: {} of {} rows select other blocks from the same scores", one.name,
                              one.rows_changed, one.rows));
    if (one.scores_beyond > 0)
      fail(check, fmt::format("{}: {} scores moved further than their error bounds, or may not move",
                              one.name, one.scores_beyond));
  }
  if (check.status == Status::pass &&
      std::ranges::all_of(check.variations, [](const auto& one) { return one.rows_selecting == 0; })) {
    check.status = Status::vacuous;
    check.reason = "no compared row has more blocks than it may select";
  }
}

/// Compares answers to a batch with those to all rows.
class Comparison {
 public:
  Comparison(const SelectInputs& whole, const SelectOutputs& first, bool scores_may_move,
             const ErrorModel& model)
      : whole_(whole), first_(first), scores_may_move_(scores_may_move), model_(model) {}

  /// Whether a score took other bits.
  bool add(const SelectOutputs& again, const std::vector<std::int64_t>& rows, VariationReport& report) const {
    bool moved = false;
    ++report.calls;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t row = rows[i], at = static_cast<std::int64_t>(i);
      ++report.rows;
      const std::int64_t visible = visible_count(whole_, row);
      if (visible > whole_.geometry.block_topk) ++report.rows_selecting;
      if (rescored(again, row, at, visible, report)) {
        moved = true;
      } else if (!same_bits(row_of<std::int32_t>(first_.blocks, row),
                            row_of<std::int32_t>(again.blocks, at))) {
        ++report.rows_changed;
      }
    }
    return moved;
  }

 private:
  bool rescored(const SelectOutputs& again, std::int64_t row, std::int64_t at, std::int64_t visible,
                VariationReport& report) const {
    if (!first_.scores || !again.scores) return false;
    const auto before = row_of<float>(*first_.scores, row).first(static_cast<std::size_t>(visible));
    const auto after = row_of<float>(*again.scores, at).first(static_cast<std::size_t>(visible));
    if (same_bits(before, after)) return false;
    ++report.rows_rescored;
    const ScoreDrift drift = score_drift(whole_, row, before, after, visible, model_);
    report.scores_beyond += scores_may_move_ ? drift.beyond : drift.changed;
    report.largest_share = std::max(report.largest_share, drift.largest_share);
    return true;
  }

  const SelectInputs& whole_;
  const SelectOutputs& first_;
  bool scores_may_move_;
  const ErrorModel& model_;
};

std::string products(const WatchedRoute& watched) {
  if (!watched.witness || watched.witness->last_products().empty()) return "a kernel nobody saw";
  return fmt::format("{}", fmt::join(watched.witness->last_products(), " and "));
}

void add_once(std::vector<std::string>& lines, std::string line) {
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
}

std::vector<std::int64_t> all_rows(std::int64_t rows) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) all[static_cast<std::size_t>(row)] = row;
  return all;
}

void take_evidence(const WatchedRoute& watched, RouteEvidence& evidence, VariationReport& report) {
  if (!watched.witness) return;
  evidence.add(watched.witness->evidence());
  report.overlapping += watched.witness->last_overlapping();
}

}  // namespace

std::vector<RowChoice> row_choices(const SelectInputs& inputs) {
  std::vector<RowChoice> choices;
  const std::int64_t rows = inputs.rows;
  if (rows == 0) return choices;
  const auto visible = [&](std::int64_t row) { return visible_count(inputs, row); };
  std::int64_t longest = 0, shortest = -1, shortest_selecting = -1;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (visible(row) > visible(longest)) longest = row;
    if (shortest < 0 || visible(row) < visible(shortest)) shortest = row;
    const bool selects = visible(row) > inputs.geometry.block_topk;
    if (selects && (shortest_selecting < 0 || visible(row) < visible(shortest_selecting)))
      shortest_selecting = row;
  }
  const std::int64_t brief = shortest_selecting >= 0 ? shortest_selecting : shortest;
  for (const std::int64_t row : {std::int64_t{0}, rows / 3, rows - 1, longest, brief})
    choices.push_back({"alone", {row}});
  for (const std::int64_t size : {2, 3, 4, 5, 8, 10, 16, 17, 31, 32, 33, 63, 64}) {
    if (size > rows) break;
    const std::int64_t first = (size * 7) % (rows - size + 1);
    RowChoice choice{"batches", {}};
    for (std::int64_t row = first; row < first + size; ++row) choice.rows.push_back(row);
    choices.push_back(std::move(choice));
  }
  for (const std::size_t longer : {1, 7, 63}) {
    RowChoice choice{"beside_longer", std::vector<std::int64_t>(longer, longest)};
    choice.rows.insert(choice.rows.begin() + static_cast<std::ptrdiff_t>(longer / 2), brief);
    choices.push_back(std::move(choice));
  }
  return choices;
}

VariationTrial::VariationTrial(const DeviceSubjects& device, const DeviceRoute& route, int threads)
    : device_(device), route_(route), threads_(threads) {}

void VariationTrial::vary_rows(const SelectInputs& inputs, CheckResult& check) const {
  const WatchedRoute watched = watched_route(device_, route_);
  const auto model =
      error_model_for(device_.capability, inputs.geometry.index_heads, inputs.geometry.index_head_dim);
  const SelectOutputs first = watched.subject->select(inputs);
  const std::string usual = products(watched);
  const Comparison comparison(inputs, first, route_.library_scores, *model);
  JudgeOptions options;
  options.contract = route_.contract;
  options.threads = threads_;
  options.error_model = model.get();
  for (const RowChoice& choice : row_choices(inputs)) {
    const RowBatch batch(inputs, choice.rows);
    const SelectInputs part = batch.inputs();
    const SelectOutputs again = watched.subject->select(part);
    VariationReport& report = report_of(check, choice.name);
    const bool moved = comparison.add(again, choice.rows, report);
    if (moved || products(watched) != usual)
      add_once(report.kernels,
               fmt::format("{} rows: {} instead of {}", choice.rows.size(), products(watched), usual));
    if (!moved) continue;
    if (const JudgedSelection judged = judge_outputs(part, again, options); judged.status == Status::fail)
      fail(check, fmt::format("{}: {}", choice.name, judged.reason));
  }
  if (watched.witness) check.routes->add(watched.witness->evidence());
}

void VariationTrial::vary_runs(const SelectInputs& inputs, CheckResult& check) const {
  const auto model =
      error_model_for(device_.capability, inputs.geometry.index_heads, inputs.geometry.index_head_dim);
  const SelectOutputs first = route_.subject()->select(inputs);
  const Comparison comparison(inputs, first, false, *model);
  for (const DeviceVariant& variant : route_.variants) {
    const WatchedRoute watched = watched_variant(device_, route_, variant);
    VariationReport& report = report_of(check, variant.name);
    comparison.add(watched.subject->select(inputs), all_rows(inputs.rows), report);
    take_evidence(watched, *check.routes, report);
  }
}

void VariationTrial::vary_runs(const PagedSelectInputs& inputs, CheckResult& check) const {
  const std::int64_t rows = inputs.index_query.extent(0);
  DeviceRoute unscored = route_;
  unscored.scores_of = {};
  const PagedSelectOutputs first = watched_route(device_, unscored).subject->select_paged(inputs);
  for (const DeviceVariant& variant : route_.variants) {
    const WatchedRoute watched = watched_variant(device_, route_, variant);
    const PagedSelectOutputs again = watched.subject->select_paged(inputs);
    VariationReport& report = report_of(check, variant.name);
    ++report.calls;
    for (std::int64_t row = 0; row < rows; ++row) {
      ++report.rows;
      // A row that uses all its slots had a choice, or just as many blocks.
      const auto blocks = row_of<std::int32_t>(*first.selected_blocks, row);
      if (!blocks.empty() && blocks.back() >= 0) ++report.rows_selecting;
      if (!same_bits(row_of<std::int32_t>(first.selected_tokens, row),
                     row_of<std::int32_t>(again.selected_tokens, row)) ||
          !same_bits(blocks, row_of<std::int32_t>(*again.selected_blocks, row)))
        ++report.rows_changed;
    }
    take_evidence(watched, *check.routes, report);
  }
}

void VariationTrial::judge(const CaseSpec& spec, CheckResult& check) const {
  check.routes.emplace();
  if (spec.kind == CaseSpec::Kind::paged) {
    const GeneratedPaged generated = generate_paged(spec);
    vary_runs(generated.inputs(), check);
  } else {
    const GeneratedSelect generated = generate_select(spec);
    const SelectInputs inputs = generated.inputs();
    vary_rows(inputs, check);
    vary_runs(inputs, check);
  }
  conclude_variations(check);
  const RouteEvidence evidence = *check.routes;
  check.routes.reset();
  if (device_.tracer) conclude_route(evidence, check);
}

}  // namespace plumbline
