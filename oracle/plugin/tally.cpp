#include "oracle/plugin/tally.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline {
namespace {

void add_counts(std::optional<VerdictCounts>& sum, const std::optional<VerdictCounts>& more) {
  if (!more) return;
  if (!sum) sum.emplace();
  for (std::size_t verdict = 0; verdict < sum->rows.size(); ++verdict)
    sum->rows[verdict] += more->rows[verdict];
}

void add_selection(JudgedSelection& sum, const JudgedSelection& more) {
  sum.rows += more.rows;
  add_counts(sum.selector, more.selector);
  add_counts(sum.end_to_end, more.end_to_end);
  sum.rows_without_exact_score += more.rows_without_exact_score;
  sum.padded_rows += more.padded_rows;
  sum.census.rows += more.census.rows;
  sum.census.rows_selecting += more.census.rows_selecting;
  sum.census.rows_tied_at_cutoff += more.census.rows_tied_at_cutoff;
  sum.census.rows_zero_plateau += more.census.rows_zero_plateau;
  sum.census.largest_tie_class = std::max(sum.census.largest_tie_class, more.census.largest_tie_class);
  // Margins and buffers of different cases do not add up.
  sum.census.min_margin_ulp = sum.census.median_margin_ulp = -1;
  sum.census.has_scores = false;
  sum.census.overflows.clear();
  if (sum.status != Status::pass && more.status == Status::pass) {
    sum.status = Status::pass;
    sum.reason.clear();
  }
}

void add_variation(std::vector<VariationReport>& sums, const VariationReport& more) {
  auto found = std::ranges::find(sums, more.name, &VariationReport::name);
  if (found == sums.end()) {
    sums.push_back(more);
    return;
  }
  found->calls += more.calls;
  found->rows += more.rows;
  found->rows_selecting += more.rows_selecting;
  found->rows_changed += more.rows_changed;
  found->rows_rescored += more.rows_rescored;
  found->scores_beyond += more.scores_beyond;
  found->largest_share = std::max(found->largest_share, more.largest_share);
}

}  // namespace

void PluginTally::add(const PluginOutcome& outcome, double seconds) {
  check_.seconds += seconds;
  if (outcome.unsupported) {
    unsupported_ = *outcome.unsupported;
    return;
  }
  ++served_;
  if (outcome.finding) return;
  for (const VariationReport& one : outcome.variations) add_variation(check_.variations, one);
  if (!outcome.judged) {
    tested_ += outcome.scores_compared > 0;  // a scorer alone
    return;
  }
  tested_ += outcome.judged->status == Status::pass;
  JudgedSelection judged = *outcome.judged;
  judged.case_name = check_.name;
  judged.tag = "plugin";
  if (check_.selections.empty()) {
    check_.selections.push_back(std::move(judged));
  } else {
    add_selection(check_.selections.front(), judged);
  }
}

void PluginTally::fail(const PluginOutcome& outcome, const std::string& source) {
  failed_ = true;
  property_ = outcome.finding->property;
  check_.status = Status::fail;
  check_.source = source;
  check_.reason = fmt::format("{}: {}", name_of(property_), outcome.finding->what);
  check_.variations = outcome.variations;
  check_.selections.clear();
  if (!outcome.judged) return;
  check_.selections.push_back(*outcome.judged);
  check_.selections.back().case_name = source;
  check_.selections.back().tag = "plugin";
}

CheckResult PluginTally::finish() {
  if (failed_) return std::move(check_);
  if (served_ == 0) {
    check_.status = Status::unsupported;
    check_.reason = unsupported_.empty() ? "no case of this family was drawn" : unsupported_;
  } else if (tested_ == 0) {
    check_.status = Status::vacuous;
    check_.reason = "no row of any case had a choice to get wrong";
  }
  return std::move(check_);
}

}  // namespace plumbline
