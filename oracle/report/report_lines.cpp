#include "oracle/report/report_lines.h"

#include "fixtures/capture/utf8.h"
#include "oracle/report/attention_json.h"
#include "oracle/report/replay_json.h"
#include "oracle/report/replay_lines.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

// Names come from captures, so they may hold anything.
std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return printable(found->get_ref<const std::string&>(), std::string::npos);
}

std::string nonzero_counts(const Json& counts) {
  std::string line;
  for (const auto& [verdict, rows] : counts.items())
    if (rows.get<std::int64_t>() != 0)
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", verdict, rows.get<std::int64_t>());
  return line;
}

// What a proof says in place of verdicts: they are all canonical when it holds.
std::string proof_counts(const Json& proof) {
  Json counts = {{"proven", proof.at("rows_proven")}, {"unproven", proof.at("rows_unproven")}};
  counts["wrong"] =
      static_cast<std::int64_t>(proof.at("faults").size()) + proof.at("faults_left_out").get<std::int64_t>();
  return nonzero_counts(counts);
}

bool is_declared(const Json& entry) {
  return text(entry, "status") == name_of(Status::vacuous) &&
         text(entry, "expected") == name_of(Status::vacuous);
}

ReportLine selection_line(const Json& selection, const char* judgement, std::string part) {
  ReportLine line;
  line.part = std::move(part);
  line.rows = std::to_string(selection.at("rows").get<std::int64_t>());
  if (judgement != nullptr) line.verdicts = nonzero_counts(selection.at(judgement));
  line.tied = std::to_string(selection.at("census").at("rows_tied_at_cutoff").get<std::int64_t>());
  return line;
}

ReportLine replay_line(const Json& replay) {
  ReportLine line;
  line.part = "profile " + text(replay, "profile");
  std::int64_t elements = 0, equal = 0, beyond = 0;
  for (const Json& operation : replay.at("operations")) {
    elements += operation.at("elements").get<std::int64_t>();
    equal += operation.at("bit_equal").get<std::int64_t>();
    beyond += operation.at("beyond_bound").get<std::int64_t>();
  }
  line.rows = std::to_string(elements);
  const double share = elements == 0 ? 100 : 100 * static_cast<double>(equal) / static_cast<double>(elements);
  line.verdicts = fmt::format("{:.3f} % bit-equal, {} beyond bound", share, beyond);
  return line;
}

void add_trials(const Json& trials, std::vector<ReportLine>& lines) {
  for (const Json& numbers : trials.at("numbers")) {
    ReportLine line;
    line.part = text(numbers, "name");
    line.rows = std::to_string(numbers.at("cases").get<std::int64_t>());
    line.verdicts =
        fmt::format("{} beyond bound, worst {:.1f} % of it", numbers.at("beyond_bound").get<std::int64_t>(),
                    100 * numbers.at("largest_share_of_bound").get<double>());
    lines.push_back(line);
  }
}

/// A line per projection and order: the ranks and what they exchange are taken together.
void add_ranks(const Json& outcomes, std::vector<ReportLine>& lines) {
  struct Group {
    std::int64_t tokens = 0, fewest = 0, most = 0, beyond = 0, bits = 0, selections = 0, parted = 0;
    double share = 0;
    std::string selects = {};
  };
  std::vector<std::pair<std::string, Group>> groups;
  for (const Json& outcome : outcomes) {
    const auto count = [&](const char* key) { return outcome.at(key).get<std::int64_t>(); };
    const std::string part = fmt::format("{}, {}", text(outcome, "projection"), text(outcome, "order"));
    auto found = std::ranges::find(groups, part, [](const auto& one) { return one.first; });
    if (found == groups.end()) found = groups.insert(found, {part, Group{.fewest = count("ranks")}});
    Group& group = found->second;
    group.selects = text(outcome, "selects");
    group.tokens = count("tokens");
    group.fewest = std::min(group.fewest, count("ranks"));
    group.most = std::max(group.most, count("ranks"));
    group.beyond += count("beyond_bound");
    group.bits += count("elements_that_differ_by_rank");
    group.selections += count("selections_differ");
    group.parted += count("selections_parted");
    group.share = std::max(group.share, outcome.at("largest_share_of_bound").get<double>());
  }
  for (const auto& [part, group] : groups) {
    ReportLine line;
    line.part = fmt::format("{}, {} to {} ranks", part, group.fewest, group.most);
    line.rows = std::to_string(group.tokens);
    line.verdicts = fmt::format("{} beyond bound, worst {:.1f} % of it", group.beyond, 100 * group.share);
    lines.push_back(line);
    line.part = "  " + group.selects;
    line.verdicts =
        fmt::format("by rank {} bits {} sets, {} parted", group.bits, group.selections, group.parted);
    lines.push_back(line);
  }
}

// In a long run the judgement that says more stands for the selection; in a single file both are shown.
void add_judgements(const Json& selection, const std::string& tag, bool both,
                    std::vector<ReportLine>& lines) {
  const bool exact = !selection.at("end_to_end").is_null(), selector = !selection.at("selector").is_null();
  if (selector && (both || !exact)) lines.push_back(selection_line(selection, "selector", tag + " selector"));
  if (exact) lines.push_back(selection_line(selection, "end_to_end", both ? tag + " end_to_end" : tag));
  if (!exact && !selector) lines.push_back(selection_line(selection, nullptr, tag));
}

std::string witness_line(const Json& witness) {
  std::string line = fmt::format("row {}: {} {}: {}", witness.at("row").get<std::int64_t>(),
                                 text(witness, "judgement"), text(witness, "verdict"), text(witness, "what"));
  const auto scores = [&](const char* which, const char* block, const char* score) {
    if (!text(witness, score).empty())
      line += fmt::format("; {} {} {}", which, witness.at(block).get<std::int64_t>(), text(witness, score));
  };
  scores("claimed", "claimed_block", "claimed_score");
  scores("missed", "missed_block", "missed_score");
  return line;
}

void add_witnesses(const Json& selection, std::vector<std::string>& witnesses) {
  for (const Json& witness : selection.at("witnesses")) witnesses.push_back(witness_line(witness));
  const std::int64_t left_out = selection.at("witnesses_left_out").get<std::int64_t>();
  if (left_out > 0) witnesses.push_back(fmt::format("({} more left out)", left_out));
}

std::string selection_name(const Json& selection) {
  return text(selection, "case") + "/" + text(selection, "tag");
}

}  // namespace

std::vector<ReportLine> lines_of(const Json& report) {
  std::vector<ReportLine> lines;
  const auto add_group = [&](const std::string& name, const Json& entry, const auto& add) {
    const std::size_t first = lines.size();
    add();
    if (lines.size() == first) lines.emplace_back();
    lines[first].check = name;
    lines[first].status = text(entry, "status") + (is_declared(entry) ? " (declared)" : "");
  };
  if (report.contains("checks")) {
    for (const Json& check : report.at("checks"))
      add_group(text(check, "name"), check, [&] {
        for (const Json& selection : check.at("selections"))
          add_judgements(selection, text(selection, "tag"), false, lines);
        if (check.contains("indexer")) add_judgements(check.at("indexer"), "indexer", false, lines);
        for (const Json& one : check.value("attention", Json::array())) {
          const std::vector<ReportLine> more = attention_lines(one);
          lines.insert(lines.end(), more.begin(), more.end());
        }
        if (check.contains("replay")) lines.push_back(replay_line(check.at("replay")));
        if (check.contains("ranks")) add_ranks(check.at("ranks"), lines);
        if (check.contains("split")) add_trials(check.at("split"), lines);
        if (check.contains("proof") && !check.at("selections").empty())
          lines.back().verdicts = proof_counts(check.at("proof"));
      });
  } else {
    for (const Json& selection : report.at("selections"))
      add_group(text(selection, "case"), selection,
                [&] { add_judgements(selection, text(selection, "tag"), true, lines); });
  }
  return lines;
}

std::vector<ReportEntry> entries_of(const Json& report) {
  if (is_replay(report)) return replay_entries(report);
  std::vector<ReportEntry> entries;
  const auto add = [&](const Json& json) -> ReportEntry& {
    ReportEntry& entry = entries.emplace_back();
    entry.subject = text(json, "subject");
    entry.status = text(json, "status");
    entry.declared = is_declared(json);
    entry.reason = text(json, "reason");
    entry.repro = text(json, "repro");
    return entry;
  };
  if (report.contains("checks")) {
    for (const Json& check : report.at("checks")) {
      ReportEntry& entry = add(check);
      entry.name = text(check, "name");
      entry.kind = text(check, "kind");
      entry.source = text(check, check.contains("file") ? "file" : "case");
      entry.seconds = check.at("seconds").get<double>();
      for (const Json& selection : check.at("selections")) add_witnesses(selection, entry.witnesses);
      if (check.contains("indexer")) add_witnesses(check.at("indexer"), entry.witnesses);
      for (const Json& one : check.value("attention", Json::array()))
        for (const Json& witness : one.at("witnesses"))
          entry.witnesses.push_back(text(one, "case") + ": " +
                                    printable(witness.get<std::string>(), std::string::npos));
      if (check.contains("proof"))
        for (const Json& fault : check.at("proof").at("faults"))
          entry.witnesses.push_back(
              fmt::format("row {}: proof: {}", fault.at("row").get<std::int64_t>(), text(fault, "what")));
    }
  } else {
    for (const Json& selection : report.at("selections")) {
      ReportEntry& entry = add(selection);
      entry.name = selection_name(selection);
      entry.kind = "select";
      entry.source = text(report, "file");
      add_witnesses(selection, entry.witnesses);
    }
  }
  return entries;
}

std::vector<std::string> census_lines(const Json& report) {
  std::vector<std::string> lines;
  if (report.contains("checks")) return lines;
  const auto number = [](const Json& object, const char* key) { return object.at(key).get<std::int64_t>(); };
  for (const Json& selection : report.at("selections")) {
    const Json& census = selection.at("census");
    std::string line = fmt::format("census {}: {} of {} rows select; {} tied at the cutoff on {} scores",
                                   selection_name(selection), number(census, "rows_selecting"),
                                   number(census, "rows"), number(census, "rows_tied_at_cutoff"),
                                   census.at("on_exact_scores").get<bool>() ? "exact" : "recorded");
    if (number(census, "rows_tied_at_cutoff") > 0)
      line += fmt::format(" (largest class {}, {} on the zero plateau)", number(census, "largest_tie_class"),
                          number(census, "rows_zero_plateau"));
    if (!census.at("min_margin_ulp").is_null())
      line += fmt::format("; margin {} ULP, median {}", number(census, "min_margin_ulp"),
                          number(census, "median_margin_ulp"));
    if (!selection.at("error_model").is_null())
      line += "; rounding bounded by " + text(selection, "error_model");
    lines.push_back(line);
    if (census.at("overflows").is_null()) continue;
    for (const Json& overflow : census.at("overflows"))
      if (number(overflow, "rows") > 0)
        lines.push_back(fmt::format("  {} rows overflow {}: {} candidates in one bin, room for {}",
                                    number(overflow, "rows"), text(overflow, "kernel"),
                                    number(overflow, "worst_bin"), number(overflow, "capacity")));
  }
  return lines;
}

bool fails(const ReportEntry& entry) {
  const auto is = [&](Status status) { return entry.status == name_of(status); };
  return !(is(Status::pass) || is(Status::unsupported) || is(Status::not_executed) || entry.declared);
}

std::string machine_line(const Json& report) {
  if (!report.contains("machine")) return "";
  const Json& machine = report.at("machine");
  std::string line =
      fmt::format("{}, {} threads, {}, {}, build {}", text(machine, "cpu"), machine.at("threads").get<int>(),
                  text(machine, "isa"), text(machine, "compiler"), text(machine, "build"));
  if (!machine.at("device").is_null()) line += "; " + text(machine, "device");
  return line;
}

}  // namespace plumbline
