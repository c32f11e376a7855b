#include "oracle/judge/row_group.h"

#include "oracle/judge/row_verdict.h"
#include "oracle/judge/score_kind.h"
#include "oracle/judge/witness.h"
#include "reference/numeric/decode_row.h"
#include "reference/select/select_views.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <omp.h>

namespace plumbline {
namespace {

constexpr std::int64_t kScoreBytesAtOnce = std::int64_t{64} << 20;
constexpr std::int64_t kExactRowsAtOnce = 64;

RowChoice choice_among(std::int64_t tie_class, std::int64_t visible, std::int64_t k) {
  if (visible <= k) return RowChoice::forced;
  return tie_class == visible ? RowChoice::free : RowChoice::ranked;
}

class GroupJudge {
 public:
  GroupJudge(const RowGroup& group, const JudgeOptions& options, const ErrorModel& error_model,
             SelectionTally& tally)
      : group_(group),
        inputs_(*group.inputs),
        error_model_(error_model),
        tally_(tally),
        k_(inputs_.geometry.block_topk),
        threads_(options.threads > 0 ? options.threads : omp_get_max_threads()) {}

  void judge() {
    for (std::int64_t row = 0; row < inputs_.rows; ++row)
      tally_.census().add_row(visible_of(inputs_, row), k_);
    const bool exact = inputs_.index_query && inputs_.index_key;
    if (group_.scores) judge_on_recorded_scores();
    if (exact) judge_on_exact_scores();
    if (!group_.scores && !exact) judge_structure();
  }

 private:
  ClaimedRow read(std::int64_t row, std::int64_t first, const std::vector<std::int32_t>& entries) const {
    const auto width = static_cast<std::size_t>(group_.claimed_width);
    return group_.read(row, std::span(entries).subspan(static_cast<std::size_t>(row - first) * width, width));
  }

  std::vector<std::int32_t> claimed_entries(std::int64_t first, std::int64_t count) const {
    std::vector<std::int32_t> entries(static_cast<std::size_t>(count * group_.claimed_width));
    group_.claimed(first, count, entries);
    return entries;
  }

  void judge_on_recorded_scores() {
    const auto blocks = static_cast<std::size_t>(inputs_.blocks);
    const std::int64_t row_bytes =
        std::max<std::int64_t>(inputs_.blocks, 1) * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t rows_at_once = std::clamp<std::int64_t>(kScoreBytesAtOnce / row_bytes, 1, 4096);
    std::vector<float> scores;
    for (std::int64_t first = 0; first < inputs_.rows; first += rows_at_once) {
      const std::int64_t count = std::min(rows_at_once, inputs_.rows - first);
      const std::vector<std::int32_t> entries = claimed_entries(first, count);
      scores.resize(static_cast<std::size_t>(count) * blocks);
      group_.scores(first, count, scores);
      const auto scores_of = [&](std::int64_t row) {
        return std::span<const float>(scores).subspan(static_cast<std::size_t>(row - first) * blocks, blocks);
      };

      std::vector<RowVerdict> verdicts(static_cast<std::size_t>(count));
      std::vector<std::optional<ScoreCensus>> census(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row = first + i, visible = visible_of(inputs_, row);
        const std::span<const float> row_scores = scores_of(row);
        const auto slot = static_cast<std::size_t>(i);
        verdicts[slot] = verdict_by_key(read(row, first, entries), row_scores, visible, k_);
        if (visible > k_)
          census[slot] = score_census(row_scores.first(static_cast<std::size_t>(visible)), k_);
      }
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row = first + i, number = group_.number(row);
        const RowVerdict& verdict = verdicts[static_cast<std::size_t>(i)];
        const auto& found = census[static_cast<std::size_t>(i)];
        tally_.selector(number, verdict.verdict,
                        choice_among(found ? found->tie_class : 0, visible_of(inputs_, row), k_));
        if (tally_.selector_witnesses().wants(verdict.verdict, number)) {
          tally_.selector_witnesses().add(selector_witness(number, verdict, scores_of(row)));
        }
        if (found) tally_.census().add_scores(visible_of(inputs_, row), *found);
      }
    }
  }

  void judge_on_exact_scores() {
    CertifyOptions options;
    options.threads = threads_;
    const CertifiedSelector selector(inputs_, group_.key_valid, options);
    std::vector<std::optional<CertifiedRow>> pending;
    std::int64_t first = 0;
    selector.rows([&](std::int64_t row, const std::optional<CertifiedRow>& certified) {
      pending.push_back(certified);
      if (static_cast<std::int64_t>(pending.size()) < kExactRowsAtOnce && row + 1 < inputs_.rows) return;
      judge_certified(selector, first, pending);
      first = row + 1;
      pending.clear();
    });
  }

  void judge_certified(const CertifiedSelector& selector, std::int64_t first,
                       const std::vector<std::optional<CertifiedRow>>& certified) {
    const auto count = static_cast<std::int64_t>(certified.size());
    const std::vector<std::int32_t> entries = claimed_entries(first, count);
    const auto exact_row = [&](std::int64_t row) {
      return ExactRow{&selector, &inputs_, &error_model_, row};
    };
    std::vector<RowVerdict> verdicts(certified.size());
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
    for (std::int64_t i = 0; i < count; ++i) {
      const auto slot = static_cast<std::size_t>(i);
      const ClaimedRow claimed = read(first + i, first, entries);
      verdicts[slot] = certified[slot]
                           ? verdict_by_exact_score(claimed, *certified[slot], exact_row(first + i))
                           : verdict_of_structure(claimed);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const auto& row = certified[static_cast<std::size_t>(i)];
      const RowVerdict& verdict = verdicts[static_cast<std::size_t>(i)];
      const std::int64_t number = group_.number(first + i);
      if (!row) {
        without_exact_score(first + i, verdict);
        continue;
      }
      tally_.census().add_exact(*row);
      tally_.end_to_end(number, verdict.verdict,
                        choice_among(row->tie_class_size, visible_of(inputs_, first + i), k_));
      if (tally_.exact_witnesses().wants(verdict.verdict, number)) {
        tally_.exact_witnesses().add(exact_witness(number, verdict, exact_row(first + i)));
      }
    }
  }

  // Where scores are recorded, the selector has judged the row and given its witness; left to ask is whether
  // those scores can come from such a query and such keys. A row that takes all it sees needs no scores.
  void without_exact_score(std::int64_t row, const RowVerdict& verdict) {
    const std::int64_t number = group_.number(row), visible = visible_of(inputs_, row);
    tally_.without_exact_score(number, verdict.verdict);
    if (!group_.scores) return add_structural_witness(number, verdict);
    if (visible <= k_ || verdict.verdict == Verdict::structural) return;
    if (finite_keys_.empty()) find_finite_keys();
    const bool finite_row = finite_query(inputs_, row).has_value();
    std::vector<float> scores(static_cast<std::size_t>(inputs_.blocks));
    group_.scores(row, 1, scores);
    for (std::int64_t block = 0; block < visible; ++block) {
      const auto slot = static_cast<std::size_t>(block);
      if (!group_.key_valid.empty() && group_.key_valid[slot] == 0) continue;
      const float score = scores[slot];
      if (finite_row && finite_keys_[slot] && std::isfinite(score)) continue;
      const ScoreKind kind = score_kind(query_of(inputs_, row), key_of(inputs_, block));
      if (is_of_kind(score, kind)) continue;
      tally_.end_to_end(number, Verdict::value_error, RowChoice::ranked);
      if (tally_.exact_witnesses().wants(Verdict::value_error, number))
        tally_.exact_witnesses().add(score_kind_witness(number, block, score, kind));
      return;
    }
  }

  void find_finite_keys() {
    std::vector<float> key(static_cast<std::size_t>(inputs_.geometry.index_head_dim));
    for (std::int64_t block = 0; block < inputs_.blocks; ++block) {
      const TensorView view = key_of(inputs_, block);
      decode_row(view.dtype, view.data, view.strides[0], key);
      finite_keys_.push_back(std::ranges::all_of(key, [](float value) { return std::isfinite(value); }));
    }
  }

  void add_structural_witness(std::int64_t number, const RowVerdict& verdict) {
    if (tally_.selector_witnesses().wants(verdict.verdict, number))
      tally_.selector_witnesses().add(structural_witness(number, verdict, "selector"));
  }

  void judge_structure() {
    constexpr std::int64_t kRowsAtOnce = 4096;
    for (std::int64_t first = 0; first < inputs_.rows; first += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, inputs_.rows - first);
      const std::vector<std::int32_t> entries = claimed_entries(first, count);
      for (std::int64_t row = first; row < first + count; ++row) {
        const RowVerdict verdict = verdict_of_structure(read(row, first, entries));
        const std::int64_t number = group_.number(row);
        tally_.structure_only(number, verdict.verdict);
        add_structural_witness(number, verdict);
      }
    }
  }

  const RowGroup& group_;
  const SelectInputs& inputs_;
  const ErrorModel& error_model_;
  SelectionTally& tally_;
  std::int32_t k_;
  int threads_;
  std::vector<bool> finite_keys_;  ///< [blocks], once a row without exact score asks
};

}  // namespace

void judge_group(const RowGroup& group, const JudgeOptions& options, const ErrorModel& error_model,
                 SelectionTally& tally) {
  GroupJudge(group, options, error_model, tally).judge();
}

}  // namespace plumbline
