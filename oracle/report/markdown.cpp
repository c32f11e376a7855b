#include "oracle/report/markdown.h"

#include "fixtures/capture/utf8.h"
#include "oracle/report/replay_json.h"
#include "oracle/report/replay_lines.h"
#include "oracle/report/report_lines.h"

#include <string_view>

#include <fmt/format.h>

namespace plumbline {
std::string escaped_markdown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view(R"(|<*_`[]&\)").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_from_json(const Json& report) {
  if (is_replay(report)) return replay_markdown(report);
  const std::string command = report.at("command").get<std::string>();
  std::string out = fmt::format("## plumbline {}: {}\n\n", command, verdict_line(counts_of(report)));
  if (report.contains("file"))
    out += fmt::format(
        "File: {}\n\n",
        escaped_markdown(printable(report.at("file").get_ref<const std::string&>(), std::string::npos)));
  out += "| check | what | rows | verdicts | tied | status |\n|---|---|--:|---|--:|---|\n";
  for (const ReportLine& line : lines_of(report))
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", escaped_markdown(line.check),
                       escaped_markdown(line.part), line.rows, escaped_markdown(line.verdicts), line.tied,
                       escaped_markdown(line.status));
  for (const std::string& line : census_lines(report))
    out += fmt::format("{}- {}\n", line.starts_with("  ") ? "  " : "\n",
                       escaped_markdown(line.substr(line.find_first_not_of(' '))));
  std::string wrong, absent;
  for (const ReportEntry& entry : entries_of(report)) {
    if (fails(entry)) {
      wrong += fmt::format("- **{}** {}: {}\n", escaped_markdown(entry.status), escaped_markdown(entry.name),
                           escaped_markdown(entry.reason));
      for (const std::string& witness : entry.witnesses)
        wrong += fmt::format("  - {}\n", escaped_markdown(witness));
      wrong += fmt::format("\n  ```\n  {}\n  ```\n", entry.repro);
    } else if (entry.status == name_of(Status::not_executed)) {
      absent += fmt::format("- {}: {}\n", escaped_markdown(entry.name), escaped_markdown(entry.reason));
    }
  }
  if (!wrong.empty()) out += "\n### What went wrong\n\n" + wrong;
  if (!absent.empty()) out += "\n### Not executed here\n\n" + absent;
  const std::string machine = machine_line(report);
  if (!machine.empty()) out += fmt::format("\n{}\n", escaped_markdown(machine));
  return out;
}

}  // namespace plumbline
