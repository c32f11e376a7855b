#include "oracle/cli/commands.h"
#include "oracle/cli/cuda_subjects.h"
#include "oracle/cli/report_options.h"
#include "oracle/cli/terminal.h"
#include "oracle/evidence/evidence_folder.h"
#include "oracle/evidence/html_report.h"
#include "oracle/evidence/manifest.h"
#include "oracle/run/golden_checks.h"
#include "oracle/run/verify_run.h"

#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace plumbline {
namespace {

// The parser would take -1 and saturate beyond 2^64 - 1.
std::string whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  const bool whole = result.ec == std::errc() && result.ptr == end;
  return whole ? "" : fmt::format("Value {} is not an integer in 0 to 2^64 - 1", text);
}

struct VerifyCommand {
  ReportOptions report;
  std::string fixtures = default_fixtures();
  std::uint64_t seed = 0;
  std::string evidence, shard, html;

  int run() const {
    const Reporter reporter(report);
    if (!evidence.empty() && !report.list) expect_free(evidence);
    std::optional<OutputFile> page;
    if (!html.empty() && !report.list) page.emplace(html);
    VerifyOptions options;
    options.fixtures = fixtures;
    options.filter = NameFilter(report.filter);
    options.filter_text = report.filter;
    options.shard = shard.empty() ? shard_from_environment() : parse_shard(shard);
    options.seed_shift = seed;
    options.threads = report.threads;
    options.offered = offered_cuda_subjects();
    options.probe = [] { return cuda_subjects(Watched::yes); };
    const VerifyPlan plan = plan_verify(options);
    if (report.list) {
      for (const PlannedCheck& check : plan.checks) fmt::print("{:<34} {}\n", check.name, check.source);
      return 0;
    }
    RunReport run;
    {
      const Progress progress;
      run = run_checks(plan, [&](std::size_t number, const PlannedCheck& check) {
        progress.show(number + 1, plan.checks.size(), check.name);
      });
    }
    const Json json = verify_json(run);
    if (!evidence.empty()) write_evidence(evidence, {{"report.json", json}});
    if (page) page->write(html_report({{{"this run", evidence_of({{"report.json", json}})}}, {json}, {}}));
    reporter.finish(json);
    return run.counts().exit_code();
  }
};

}  // namespace

void add_verify_command(CLI::App& app, int& exit_code) {
  auto verify = std::make_shared<VerifyCommand>();
  CLI::App* command = app.add_subcommand(
      "verify",
      "The main job: judge every golden capture, and prove the reference on every generated family");
  verify->report.add_to(*command);
  command
      ->add_option("--fixtures", verify->fixtures, "Folder of captures to judge (manifest.json is optional)")
      ->capture_default_str();
  command->add_option("--seed", verify->seed, "Added to the data seeds of the generated cases")
      ->check(whole_number);
  command->add_option("--evidence", verify->evidence,
                      "Make this folder: report, evidence.json and their manifest");
  command->add_option(
      "--shard", verify->shard,
      "I/N: the I-th of N parts, by a hash of each check's name (default: GTEST_SHARD_INDEX and "
      "GTEST_TOTAL_SHARDS)");
  command->add_option("--html", verify->html, "Write the report as one HTML page");
  command->callback([verify, &exit_code] { exit_code = verify->run(); });
}

}  // namespace plumbline
