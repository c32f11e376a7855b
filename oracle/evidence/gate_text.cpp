#include "fixtures/capture/utf8.h"
#include "oracle/evidence/coverage.h"
#include "oracle/evidence/gate.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::size_t kMostDifferences = 20;

std::string line(const std::string& text) { return printable(text, 400); }

std::string difference_line(const Difference& one) {
  return line(fmt::format("{}: other {} on {} and on {}{}{}", one.check, one.what, one.first, one.second,
                          one.detail.empty() ? "" : ": ", one.detail));
}

}  // namespace

std::string verdict_line(const GateVerdict& verdict) {
  const char* word = "passed";
  if (verdict.exit_code() == 3) word = "NOTHING EXECUTED";
  if (verdict.exit_code() == 1) word = "NOT PASSED";
  return fmt::format("gate: {}: {} runs, {} PASS, {} problems, {} known failures", word, verdict.runs.size(),
                     verdict.counts.pass, verdict.problems.size(), verdict.known.size());
}

std::string gate_text(const GateVerdict& verdict) {
  std::string out;
  for (const std::string& run : verdict.runs) out += line(run) + "\n";
  const CoverageMatrix matrix = matrix_of(verdict.cells);
  std::size_t width = 4;
  for (const CoverageMatrix::Row& row : matrix.rows) width = std::max(width, row.path.size());
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < matrix.capabilities.size(); ++column) {
    widths.push_back(matrix.capabilities[column].size());
    for (const CoverageMatrix::Row& row : matrix.rows)
      widths.back() = std::max(widths.back(), cell_text(row.cells[column]).size());
  }
  if (!matrix.rows.empty()) {
    out += fmt::format("\n{:<{}}", "path", width);
    for (std::size_t column = 0; column < widths.size(); ++column)
      out += fmt::format("  {:<{}}", matrix.capabilities[column], widths[column]);
    for (const CoverageMatrix::Row& row : matrix.rows) {
      while (out.back() == ' ') out.pop_back();
      out += fmt::format("\n{:<{}}", line(row.path), width);
      for (std::size_t column = 0; column < widths.size(); ++column)
        out += fmt::format("  {:<{}}", cell_text(row.cells[column]), widths[column]);
    }
    while (out.back() == ' ') out.pop_back();
    out += "\n";
  }
  out += "\n";
  for (const std::string& ratio : verdict.ratios) out += "ratio: " + line(ratio) + "\n";
  for (const std::string& known : verdict.known) out += "known: " + line(known) + "\n";
  for (std::size_t i = 0; i < verdict.differences.size(); ++i) {
    if (i == kMostDifferences) {
      out += fmt::format("differs: and {} more\n", verdict.differences.size() - i);
      break;
    }
    out += "differs: " + difference_line(verdict.differences[i]) + "\n";
  }
  for (const GateProblem& one : verdict.problems)
    out += fmt::format("{}: {}\n  next: {}\n", name_of(one.kind), line(one.what), line(one.next));
  return out + verdict_line(verdict) + "\n";
}

Json gate_json(const GateVerdict& verdict) {
  Json json = {{"schema", "plumbline-gate"},
               {"version", 1},
               {"exit_code", verdict.exit_code()},
               {"verdict", verdict_line(verdict)},
               {"runs", verdict.runs},
               {"ratios", verdict.ratios},
               {"known_failures", verdict.known},
               {"matrix", Json::array()},
               {"problems", Json::array()},
               {"differences", Json::array()}};
  for (const EvidenceCell& cell : verdict.cells)
    json["matrix"].push_back({{"path", cell.path},
                              {"capability", cell.capability},
                              {"level", name_of(cell.level)},
                              {"checks", cell.checks},
                              {"passed", cell.passed}});
  for (const GateProblem& one : verdict.problems)
    json["problems"].push_back({{"kind", name_of(one.kind)}, {"what", one.what}, {"next", one.next}});
  for (const Difference& one : verdict.differences)
    json["differences"].push_back({{"check", one.check},
                                   {"what", one.what},
                                   {"first", one.first},
                                   {"second", one.second},
                                   {"detail", one.detail},
                                   {"contradiction", one.contradiction}});
  return json;
}

}  // namespace plumbline
