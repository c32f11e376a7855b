#include "oracle/report/text_report.h"

#include "oracle/report/replay_json.h"
#include "oracle/report/replay_lines.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::size_t kVerdictWidth = 38;  // wider cells wrap
constexpr std::size_t kWitnesses = 4;      // printed per check; the JSON has more

// Splits "a 1, b 2, c 3" at the last comma that fits.
std::vector<std::string> wrapped(std::string cell) {
  std::vector<std::string> pieces;
  while (cell.size() > kVerdictWidth) {
    const std::size_t comma = cell.rfind(", ", kVerdictWidth - 1);
    if (comma == std::string::npos) break;
    pieces.push_back(cell.substr(0, comma + 1));
    cell.erase(0, comma + 2);
  }
  pieces.push_back(cell);
  return pieces;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string table(const std::vector<ReportLine>& lines, bool color) {
  std::array<std::size_t, 5> width = {5, 4, 4, 8, 4};  // of the headings
  for (const ReportLine& line : lines) {
    width[0] = std::max(width[0], line.check.size());
    width[1] = std::max(width[1], line.part.size());
    width[2] = std::max(width[2], line.rows.size());
    for (const std::string& piece : wrapped(line.verdicts)) width[3] = std::max(width[3], piece.size());
    width[4] = std::max(width[4], line.tied.size());
  }
  const auto format = [&](const ReportLine& line, const std::string& status) {
    return without_trailing_blanks(fmt::format("{:<{}}  {:<{}}  {:>{}}  {:<{}}  {:>{}}  {}", line.check,
                                               width[0], line.part, width[1], line.rows, width[2],
                                               line.verdicts, width[3], line.tied, width[4], status));
  };
  std::string out = format({"check", "what", "rows", "verdicts", "tied", ""}, "status");
  for (ReportLine line : lines) {
    const std::vector<std::string> pieces = wrapped(line.verdicts);
    line.verdicts = pieces[0];
    out += format(line, painted(line.status, color));
    for (std::size_t i = 1; i < pieces.size(); ++i) out += format({"", "", "", pieces[i], "", ""}, "");
  }
  return out;
}

std::string explanation(const ReportEntry& entry, bool color) {
  std::string out = fmt::format("\n{} {}: {}\n", painted(entry.status, color), entry.name, entry.reason);
  const std::size_t shown = std::min(entry.witnesses.size(), kWitnesses);
  for (std::size_t i = 0; i < shown; ++i) out += fmt::format("  {}\n", entry.witnesses[i]);
  if (shown < entry.witnesses.size()) out += "  (more in the JSON report)\n";
  out += fmt::format("  repro: {}\n", entry.repro);
  return out;
}

}  // namespace

std::string painted(const std::string& status, bool color) {
  if (!color) return status;
  const char* code = status.rfind("PASS", 0) == 0                                    ? "32"
                     : status.rfind("FAIL", 0) == 0 || status.rfind("ERROR", 0) == 0 ? "31"
                     : status == "VACUOUS" || status.rfind("ROUTE", 0) == 0          ? "31"
                                                                                     : "33";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, status);
}

std::string text_report(const Json& report, bool color) {
  if (is_replay(report)) return replay_text(report, color);
  std::string out = table(lines_of(report), color);
  for (const std::string& line : census_lines(report)) out += line + "\n";
  std::string remarks;
  for (const ReportEntry& entry : entries_of(report)) {
    if (fails(entry)) {
      out += explanation(entry, color);
    } else if (entry.status == name_of(Status::not_executed)) {
      remarks += fmt::format("not executed here: {}: {}\n", entry.name, entry.reason);
    } else if (!entry.reason.empty()) {
      remarks += fmt::format("{}: {}\n", entry.name, entry.reason);
    }
  }
  if (!remarks.empty()) out += "\n" + remarks;
  const std::string machine = machine_line(report);
  if (!machine.empty()) out += fmt::format("\n{}\n", machine);
  return out + verdict_line(counts_of(report)) + "\n";
}

}  // namespace plumbline
