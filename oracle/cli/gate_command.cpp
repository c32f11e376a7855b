#include "fixtures/error.h"
#include "oracle/cli/commands.h"
#include "oracle/evidence/evidence_folder.h"
#include "oracle/evidence/gate.h"
#include "oracle/evidence/html_report.h"
#include "oracle/report/machine.h"
#include "oracle/report/output_file.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::string today() {
  const std::chrono::year_month_day day(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", int(day.year()), unsigned(day.month()), unsigned(day.day()));
}

// The commit of this build; empty where it is not known.
std::string own_commit() {
  const std::string build = build_name();
  const std::size_t plus = build.find('+');
  return plus == std::string::npos ? "" : build.substr(plus + 1, 12);
}

struct GateCommand {
  std::vector<std::string> evidence, baseline;
  std::string policy, json, html;
  GateOptions options{own_commit(), today()};

  int run() const {
    if (options.commit.size() < 7)
      throw InputError(
          "--commit: expected 7 to 40 digits of the commit that the evidence must be of, found '" +
          options.commit + "'");
    if (!is_date(options.today))
      throw InputError("--today: expected YYYY-MM-DD, found '" + options.today + "'");
    std::optional<OutputFile> file, page;
    if (!json.empty()) file.emplace(json);
    if (!html.empty()) page.emplace(html);
    const auto read = [](const std::vector<std::string>& folders) {
      std::vector<NamedEvidence> runs;
      for (const std::string& folder : folders) runs.push_back({folder, read_evidence(folder)});
      return runs;
    };
    const GateVerdict verdict = judge_gate(read(evidence), read(baseline), read_policy(policy), options);
    if (file) file->write(to_text(gate_json(verdict)));
    if (page) {
      HtmlRequest request = read_html_request(evidence);
      request.verdict = {verdict_line(verdict), verdict.exit_code() == 0, {}};
      for (const GateProblem& one : verdict.problems)
        request.verdict->problems.push_back(
            fmt::format("{}: {}; next: {}", name_of(one.kind), one.what, one.next));
      page->write(html_report(request));
    }
    fmt::print("{}", gate_text(verdict));
    return verdict.exit_code();
  }
};

}  // namespace

void add_gate_command(CLI::App& app, int& exit_code) {
  auto gate = std::make_shared<GateCommand>();
  CLI::App* command =
      app.add_subcommand("gate", "Judge the evidence of several machines together, by a policy");
  command->add_option("evidence", gate->evidence, "Folders of evidence")->required();
  command->add_option("--policy", gate->policy, "What must be shown (ci/policy.json)")->required();
  command->add_option("--baseline", gate->baseline, "Folders of evidence whose ratios must not be lost");
  command->add_option("--commit", gate->options.commit, "The commit the evidence must be of")
      ->capture_default_str();
  command->add_option("--today", gate->options.today, "The day that known failures are held against")
      ->capture_default_str();
  command->add_option("--json", gate->json, "Write the verdict as JSON to this file");
  command->add_option("--html", gate->html, "Write one page of it all to this file");
  command->callback([gate, &exit_code] { exit_code = gate->run(); });
}

}  // namespace plumbline
