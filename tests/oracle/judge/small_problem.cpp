#include "tests/oracle/judge/small_problem.h"

#include <fmt/format.h>

namespace plumbline::testing_judge {
namespace {

std::string text_of(const std::optional<VerdictCounts>& counts) {
  if (!counts) return "null";
  std::string text;
  for (const std::int64_t rows : counts->rows) text += fmt::format("{} ", rows);
  return text;
}

}  // namespace

std::string text_of(const SelectionReport& report) {
  std::string text = fmt::format(
      "rows {} contract {} model {} without {} status {} reason {} left out {}\nselector {}\nend {}\n",
      report.rows, name_of(report.contract), report.error_model, report.rows_without_exact_score,
      name_of(report.status), report.reason, report.witnesses_left_out, text_of(report.selector),
      text_of(report.end_to_end));
  const TieCensus& census = report.census;
  text +=
      fmt::format("census {} {} {} {} {} {} {} {} {}\n", census.rows, census.rows_selecting, census.has_exact,
                  census.rows_tied_at_cutoff, census.rows_zero_plateau, census.largest_tie_class,
                  census.has_scores, census.min_margin_ulp, census.median_margin_ulp);
  for (const auto& overflow : census.overflows) {
    text +=
        fmt::format("{} {} {} {}\n", overflow.kernel, overflow.capacity, overflow.rows, overflow.worst_bin);
  }
  for (const Witness& witness : report.witnesses) {
    text += fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n", witness.row, name_of(witness.verdict),
                        witness.judgement, witness.claimed_block, witness.missed_block, witness.claimed_score,
                        witness.missed_score, witness.gap, witness.gap_value, witness.allowed, witness.what);
  }
  return text;
}

}  // namespace plumbline::testing_judge
