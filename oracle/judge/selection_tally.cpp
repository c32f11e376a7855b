#include "oracle/judge/selection_tally.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::uint8_t code(Verdict verdict) { return static_cast<std::uint8_t>(verdict); }

std::string in_words(const VerdictCounts& counts) {
  std::string words;
  for (int v = kVerdicts - 1; v >= 0; --v) {
    const auto verdict = static_cast<Verdict>(v);
    if (counts[verdict] == 0) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", counts[verdict], name_of(verdict));
  }
  return words;
}

}  // namespace

SelectionTally::SelectionTally(std::int64_t rows, const JudgeOptions& options)
    : contract_(options.contract),
      max_witnesses_(options.max_witnesses),
      selector_(static_cast<std::size_t>(rows)),
      end_to_end_(static_cast<std::size_t>(rows)),
      broken_(static_cast<std::size_t>(rows), false),
      selector_witnesses_(options.max_witnesses),
      exact_witnesses_(options.max_witnesses) {}

void SelectionTally::selector(std::int64_t row, Verdict verdict, RowChoice choice) {
  selector_[static_cast<std::size_t>(row)] = {code(verdict), choice};
}

void SelectionTally::end_to_end(std::int64_t row, Verdict verdict, RowChoice choice) {
  end_to_end_[static_cast<std::size_t>(row)] = {code(verdict), choice};
}

void SelectionTally::without_exact_score(std::int64_t row, Verdict verdict) {
  ++without_exact_;
  structure_only(row, verdict);
}

void SelectionTally::structure_only(std::int64_t row, Verdict verdict) {
  if (verdict == Verdict::structural) broken_[static_cast<std::size_t>(row)] = true;
}

SelectionTally::Judged SelectionTally::binding(std::size_t row) const {
  const Judged first = binds_selector(contract_) ? selector_[row] : end_to_end_[row];
  const Judged second = binds_selector(contract_) ? end_to_end_[row] : selector_[row];
  if (first.verdict != kNone) return first;
  if (second.verdict != kNone) return second;
  return {broken_[row] ? code(Verdict::structural) : kNone, RowChoice::forced};
}

std::optional<VerdictCounts> SelectionTally::count(const std::vector<Judged>& rows) {
  std::optional<VerdictCounts> counts;
  for (const Judged& row : rows) {
    if (row.verdict == kNone) continue;
    if (!counts) counts.emplace();
    counts->add(static_cast<Verdict>(row.verdict));
  }
  return counts;
}

SelectionReport SelectionTally::finish() const {
  SelectionReport report;
  report.rows = static_cast<std::int64_t>(selector_.size());
  report.contract = contract_;
  report.rows_without_exact_score = without_exact_;
  report.census = census_.finish();
  report.selector = count(selector_);
  report.end_to_end = count(end_to_end_);
  merge_witnesses(report);
  decide_status(report);
  return report;
}

void SelectionTally::decide_status(SelectionReport& report) const {
  VerdictCounts broken;
  std::int64_t judged = 0, selecting = 0, tested = 0, first = -1;
  for (std::size_t row = 0; row < selector_.size(); ++row) {
    const auto [verdict, choice] = binding(row);
    if (verdict == kNone) continue;
    ++judged;
    selecting += choice != RowChoice::forced;
    tested +=
        choice == RowChoice::ranked || (choice == RowChoice::free && breaks(contract_, Verdict::tie_only));
    if (!breaks(contract_, static_cast<Verdict>(verdict))) continue;
    broken.add(static_cast<Verdict>(verdict));
    if (first < 0) first = static_cast<std::int64_t>(row);
  }
  if (broken.total() > 0) {
    report.status = Status::fail;
    report.reason = fmt::format("{} of {} rows break the contract {}: {}; the first is row {}",
                                broken.total(), report.rows, name_of(contract_), in_words(broken), first);
    return;
  }
  report.status = Status::vacuous;
  if (report.rows == 0) {
    report.reason = "there are no rows";
  } else if (report.census.rows_selecting == 0) {
    report.reason = "no row sees more blocks than it may select";
  } else if (judged == 0) {
    report.reason = "no row has a score to judge it on";
  } else if (selecting == 0) {
    report.reason = "no row that selects has a score to judge it on";
  } else if (tested == 0) {
    report.reason = "all blocks of every row that selects tie, so any set of them would do";
  } else {
    report.status = Status::pass;
    if (judged < report.rows)
      report.reason =
          fmt::format("{} of {} rows have no score to judge them on", report.rows - judged, report.rows);
  }
}

void SelectionTally::merge_witnesses(SelectionReport& report) const {
  std::int64_t rows_with_witness = 0;
  for (std::size_t row = 0; row < selector_.size(); ++row) {
    const auto shown = [](const Judged& judged) {
      return judged.verdict != kNone && needs_witness(static_cast<Verdict>(judged.verdict));
    };
    if (shown(selector_[row]) || shown(end_to_end_[row]) || broken_[row]) ++rows_with_witness;
  }

  const bool selector_first = binds_selector(contract_);
  std::vector<Witness> all = (selector_first ? selector_witnesses_ : exact_witnesses_).list();
  const std::vector<Witness>& others = (selector_first ? exact_witnesses_ : selector_witnesses_).list();
  all.insert(all.end(), others.begin(), others.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Witness& a, const Witness& b) { return comes_first(a.verdict, a.row, b); });
  std::set<std::int64_t> seen;
  for (Witness& witness : all) {
    if (static_cast<std::int64_t>(report.witnesses.size()) >= max_witnesses_) break;
    if (seen.insert(witness.row).second) report.witnesses.push_back(std::move(witness));
  }
  report.witnesses_left_out = rows_with_witness - static_cast<std::int64_t>(report.witnesses.size());
}

}  // namespace plumbline
