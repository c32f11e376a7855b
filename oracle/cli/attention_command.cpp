#include "fixtures/error.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/cuda_subjects.h"
#include "oracle/cli/report_options.h"
#include "oracle/report/attention_json.h"
#include "oracle/run/attention_capture_checks.h"
#include "oracle/run/verify_run.h"
#include "reference/model/paged_attention.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::string profile_names() {
  std::string names;
  for (const RoundingProfile& profile : rounding_profiles())
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  return names;
}

struct AttentionCommand {
  ReportOptions report;
  std::string file, subject = "recorded", profile;

  const RoundingProfile* chosen_profile() const {
    return profile.empty() ? nullptr : find_rounding_profile(profile);
  }

  std::vector<AttentionTrial> trials(VerifyPlan& plan) const {
    if (subject == "recorded") return {{nullptr, chosen_profile(), false, {}}};
    if (subject == "reference") {
      const RoundingProfile& own = chosen_profile() != nullptr ? *chosen_profile() : exact_profile();
      return {{reference_attention(own), &own, false, {}}};
    }
    plan.device = cuda_subjects(Watched::no);
    if (plan.device.attention.empty())
      throw InputError(fmt::format("--subject {}: {}", subject, plan.device.reason));
    std::vector<AttentionTrial> trials;
    for (const DeviceAttention& route : plan.device.attention)
      if (subject == "cuda" || subject == "cuda:" + route.name)
        trials.push_back({route.subject(), nullptr, true, plan.device.capability});
    if (trials.empty()) throw InputError(fmt::format("--subject {}: no such route", subject));
    return trials;
  }

  int run() const {
    const Reporter reporter(report);
    std::vector<std::string> words = {"plumbline", "attention", file};
    if (subject != "recorded") words.insert(words.end(), {"--subject", subject});
    if (!profile.empty()) words.insert(words.end(), {"--profile", profile});
    VerifyPlan plan;
    const std::vector<AttentionTrial> on_trial = trials(plan);
    plan.checks = attention_capture_checks(file, on_trial, words, NameFilter(report.filter));
    if (report.list) {
      for (const PlannedCheck& check : plan.checks) fmt::print("{}\n", check.name);
      return 0;
    }
    const RunReport run = run_checks(plan);
    reporter.finish(attention_report(run, file));
    return run.counts().exit_code();
  }
};

}  // namespace

void add_attention_command(CLI::App& app, int& exit_code) {
  auto attention = std::make_shared<AttentionCommand>();
  CLI::App* command = app.add_subcommand(
      "attention", "Judge output and log-sum-exp of an attention capture (kind D) on its own selection");
  command->add_option("file", attention->file, "The capture")->required();
  command
      ->add_option("--subject", attention->subject,
                   "What is on trial: the capture's record, or on its inputs the reference, every CUDA route "
                   "that serves them (cuda) or one (cuda:ROUTE)")
      ->check([](const std::string& word) {
        const bool known =
            word == "recorded" || word == "reference" || word == "cuda" || word.starts_with("cuda:");
        return known ? "" : fmt::format("{} is not recorded, reference, cuda or cuda:ROUTE", word);
      })
      ->capture_default_str();
  command
      ->add_option("--profile", attention->profile,
                   "Whose roundings bound the answer (default: the case's own, else vllm; reference: exact)")
      ->check([](const std::string& word) {
        return find_rounding_profile(word) != nullptr
                   ? ""
                   : fmt::format("{} is not one of {}", word, profile_names());
      });
  attention->report.add_to(*command);
  command->callback([attention, &exit_code] { exit_code = attention->run(); });
}

}  // namespace plumbline
