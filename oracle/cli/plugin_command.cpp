#include "fixtures/capture/paged_capture.h"
#include "fixtures/capture/select_capture.h"
#include "fixtures/cases/case_spec.h"
#include "fixtures/error.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/open_plugin.h"
#include "oracle/cli/report_options.h"
#include "oracle/cli/terminal.h"
#include "oracle/plugin/plugin_attention.h"
#include "oracle/plugin/plugin_case.h"
#include "oracle/plugin/plugin_fuzz.h"
#include "oracle/plugin/tally.h"
#include "oracle/run/name_filter.h"
#include "oracle/run/repro.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

struct PluginCommand {
  ReportOptions report;
  std::string library, contract, one_case, output;
  double budget = 60, patience = 10;
  std::int64_t rounds = -1;
  std::uint64_t seed = 0;

  std::string failing_file() const {
    return output.empty() ? fs::path(library).stem().string() + ".failing.h5" : output;
  }

  std::string repro(const std::string& which) const {
    std::vector<std::string> words = {"plumbline", "plugin", library, "--case", which};
    if (!contract.empty()) words.insert(words.end(), {"--contract", contract});
    return repro_line(words, "subject plugin:" + fs::path(library).filename().string());
  }

  PluginTrialOptions trial_options(PluginProcess& process) const {
    PluginTrialOptions options;
    if (!contract.empty()) options.contract = contract_from(contract);
    options.capability = capability_of(process);
    options.threads = report.threads;
    return options;
  }

  int finish(const Reporter& reporter, const RunReport& run) const {
    Json json = verify_json(run);
    json["command"] = "plugin";
    json["plugin"] = fs::path(library).filename().string();
    reporter.finish(json);
    return run.counts().exit_code();
  }

  int fuzz(const Reporter& reporter, const std::shared_ptr<PluginProcess>& process) const {
    PluginFuzzOptions options;
    options.trial = trial_options(*process);
    options.seed = seed;
    options.budget = std::chrono::duration<double>(budget);
    options.rounds = rounds;
    options.failing_file = failing_file();
    const NameFilter filter(report.filter);
    options.wanted = [&](const std::string& check) { return filter.matches(check); };
    options.repro = [this](const std::string& which) { return repro(which); };
    PluginFuzzResult result;
    {
      const Progress progress;
      std::size_t number = 0;
      options.before = [&](const std::string& check) { progress.show(++number, 0, check); };
      result = fuzz_plugin(process, options);
      judge_attention(process, options, result.run);
    }
    result.run.capability = options.trial.capability.value_or("");
    const int code = finish(reporter, result.run);
    if (!result.failing_case.empty())
      fmt::print(stderr, "smallest failing case: {} ({})\n{}\n", options.failing_file, result.failing_case,
                 repro(options.failing_file));
    return code;
  }

  /// Not drawn and not shrunk: each of `verify`'s attention families once.
  void judge_attention(const std::shared_ptr<PluginProcess>& process, const PluginFuzzOptions& fuzzing,
                       RunReport& run) const {
    PluginAttentionOptions options;
    options.capability = fuzzing.trial.capability;
    options.seed = seed;
    options.wanted = fuzzing.wanted;
    options.repro = [this](const std::string& check) {
      return repro_line({"plumbline", "plugin", library, "--filter", exact_filter(check)},
                        "subject plugin:" + fs::path(library).filename().string());
    };
    for (CheckResult& check : try_plugin_attention(process, options)) run.checks.push_back(std::move(check));
  }

  CheckResult checked(const std::string& name, const PluginOutcome& outcome,
                      const std::string& subject) const {
    CheckResult check;
    check.name = name;
    check.kind = CheckKind::generated;
    check.subject = subject;
    check.source = one_case;
    PluginTally tally(std::move(check));
    tally.add(outcome, 0);
    if (outcome.finding) tally.fail(outcome, one_case);
    tally.repro(repro(one_case));
    return tally.finish();
  }

  std::vector<CheckResult> judge_capture(PluginTrial& trial, const std::string& subject) const {
    std::vector<CheckResult> checks;
    if (read_capture_info(one_case).kind == CaptureKind::select_paged) {
      const PagedSelectCapture capture = read_paged_capture(one_case);
      for (const PagedSelectCase& one : capture.cases)
        checks.push_back(checked(one.name, trial.judge(one.inputs(capture.geometry)), subject));
      return checks;
    }
    const SelectCapture capture = read_select_capture(one_case);
    for (const SelectCase& one : capture.cases) {
      SelectInputs inputs = one.inputs(capture.geometry);
      Tensor given;
      if (!inputs.index_query) {
        if (one.scores.empty())
          throw InputError(one_case, one.name, "index_query and index_key, or scores", "neither");
        given = one.scores.front().read_all();
        inputs.scores = given.view();
      }
      checks.push_back(checked(one.name, trial.judge(inputs), subject));
    }
    return checks;
  }

  int judge_one(const Reporter& reporter, const std::shared_ptr<PluginProcess>& process) const {
    PluginSubject subject(process);
    const PluginTrialOptions options = trial_options(*process);
    PluginTrial trial(subject, options);
    RunReport run;
    run.machine = this_machine();
    run.capability = options.capability.value_or("");
    if (fs::exists(one_case)) {
      run.checks = judge_capture(trial, subject.name());
    } else {
      const CaseSpec spec = parse_case(one_case);
      run.checks.push_back(checked(spec.family, judge_spec(trial, spec), subject.name()));
    }
    return finish(reporter, run);
  }

  int not_executed(const Reporter& reporter, const std::string& reason) const {
    RunReport run;
    run.machine = this_machine();
    CheckResult check;
    check.name = fs::path(library).stem().string();
    check.kind = CheckKind::device;
    check.subject = "plugin:" + fs::path(library).filename().string();
    check.source = "every family";
    check.status = Status::not_executed;
    check.reason = reason;
    run.checks.push_back(std::move(check));
    return finish(reporter, run);
  }

  int run() const {
    const Reporter reporter(report);
    try {
      const auto process =
          open_plugin(library, std::chrono::milliseconds(static_cast<std::int64_t>(patience * 1000)));
      return one_case.empty() ? fuzz(reporter, process) : judge_one(reporter, process);
    } catch (const DeviceLacking& lacking) {
      return not_executed(reporter, lacking.what());
    }
  }
};

std::string seconds_of(std::string& text) {
  if (!text.empty() && text.back() == 's') text.pop_back();
  return {};
}

}  // namespace

void add_plugin_command(CLI::App& app, int& exit_code) {
  auto plugin = std::make_shared<PluginCommand>();
  CLI::App* command =
      app.add_subcommand("plugin", "Put a foreign kernel (a shared object, see plumbline/plugin.h) on trial");
  command->add_option("library", plugin->library, "The shared object")->required();
  command->add_option("--contract", plugin->contract, "What it promises (default: what it says of itself)")
      ->check(CLI::IsMember({"within_error", "set_exact", "tie_rule_set", "canonical"}));
  const CLI::Validator seconds(seconds_of, "SECONDS");
  command->add_option("--budget", plugin->budget, "Seconds to draw cases for (60s)")
      ->transform(seconds)
      ->check(CLI::Range(0.01, 1e6));
  command->add_option("--patience", plugin->patience, "Seconds after which a call hangs (10s)")
      ->transform(seconds)
      ->check(CLI::Range(0.01, 1e5));
  command->add_option("--rounds", plugin->rounds, "Cases of each family at most")
      ->check(CLI::Range(1, 1'000'000'000));
  command->add_option("--seed", plugin->seed, "Added to every data seed")->check(CLI::NonNegativeNumber);
  command->add_option("--case", plugin->one_case, "Judge this alone: a case, or a capture of kind B or C");
  command->add_option("-o,--output", plugin->output, "The capture for the smallest failing case");
  plugin->report.add_outputs_to(*command);
  command->add_option("--filter", plugin->report.filter,
                      "Only checks this regular expression is found in (select/ties)");
  command->callback([plugin, &exit_code] { exit_code = plugin->run(); });
}

}  // namespace plumbline
