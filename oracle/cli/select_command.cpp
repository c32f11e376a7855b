#include "fixtures/capture/utf8.h"
#include "fixtures/error.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/cuda_subjects.h"
#include "oracle/cli/open_plugin.h"
#include "oracle/cli/report_options.h"
#include "oracle/plugin/plugin_subject.h"
#include "oracle/run/judge_capture.h"
#include "oracle/run/repro.h"
#include "oracle/run/route_trial.h"
#include "reference/select/reference_subject.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::string_view kPlugin = "plugin:";

struct SelectCommand {
  ReportOptions report;
  std::string file, contract, tag, subject = "recorded";

  std::string repro(const JudgedSelection& selection) const {
    std::vector<std::string> words = {"plumbline", "select", file};
    if (!contract.empty()) words.insert(words.end(), {"--contract", contract});
    if (subject != "recorded") words.insert(words.end(), {"--subject", subject});
    const std::string name = selection.case_name + "/" + selection.tag;
    words.insert(words.end(), {"--filter", exact_filter(name)});
    return repro_line(words, fmt::format("case {}, subject {}", name, subject));
  }

  /// What is on trial: a null subject is the file's own record.
  struct Trial {
    std::vector<WatchedRoute> subjects;
    std::optional<std::string> capability;
    std::string witnesses;  ///< of a device's calls
  };
  Trial trial() const {
    if (subject == "recorded") return {{WatchedRoute{}}, {}, {}};
    if (subject == "reference") return {{{std::make_shared<ReferenceSubject>(), nullptr}}, {}, {}};
    if (subject.starts_with(kPlugin)) {
      try {
        const auto process = open_plugin(subject.substr(kPlugin.size()), std::chrono::seconds(60));
        return {{{std::make_shared<PluginSubject>(process), nullptr}}, capability_of(*process), {}};
      } catch (const DeviceLacking& lacking) {
        throw InputError(fmt::format("--subject {}: {}", subject, lacking.what()));
      }
    }
    const DeviceSubjects device = cuda_subjects(Watched::yes);
    if (device.routes.empty()) throw InputError(fmt::format("--subject {}: {}", subject, device.reason));
    Trial trial{{}, device.capability, device.tracer->witnesses()};
    for (const DeviceRoute& route : device.routes)
      if (subject == "cuda" || subject == "cuda:" + route.name)
        trial.subjects.push_back(watched_route(device, route));
    if (trial.subjects.empty()) throw InputError(fmt::format("--subject {}: no such route", subject));
    return trial;
  }

  std::vector<JudgedSelection> judged(const Trial& trial, JudgeCaptureOptions options) const {
    std::vector<JudgedSelection> selections;
    for (const WatchedRoute& one : trial.subjects) {
      options.subject = one.subject.get();
      try {
        const std::size_t first = selections.size();
        for (JudgedSelection& selection : judge_capture(file, options)) {
          if (trial.subjects.size() > 1 && selection.tag != one.subject->name())
            selection.tag = one.subject->name() + "/" + selection.tag;
          selections.push_back(std::move(selection));
        }
        if (one.witness) {
          for (std::size_t i = first; i < selections.size(); ++i)
            miss_route(one.witness->evidence(), selections[i]);
        }
      } catch (const UnsupportedCase& unsupported) {
        if (trial.subjects.size() == 1) throw InputError(fmt::format("{}: {}", file, unsupported.what()));
      } catch (const PluginFault& fault) {
        selections.push_back(faulty(one.subject->name(), fault));
      }
    }
    return selections;
  }

  /// A plugin that gave no answer at all has failed on all of the file.
  static JudgedSelection faulty(const std::string& subject, const PluginFault& fault) {
    JudgedSelection selection;
    selection.case_name = "select";
    selection.tag = subject;
    selection.status = Status::fail;
    selection.reason = fault.what();
    return selection;
  }

  int run() const {
    const Reporter reporter(report);
    const Trial on_trial = trial();
    JudgeCaptureOptions options;
    if (!contract.empty()) options.contract = contract_from(contract);
    options.tag = tag;
    options.filter = NameFilter(report.filter);
    options.threads = report.threads;
    options.subject = on_trial.subjects.front().subject.get();
    options.capability = on_trial.capability;
    if (report.list) {
      for (const std::string& name : list_selections(file, options))
        fmt::print("{}\n", printable(name, std::string::npos));
      return 0;
    }
    const std::vector<JudgedSelection> selections = judged(on_trial, options);
    std::vector<std::string> repros;
    for (const JudgedSelection& selection : selections) repros.push_back(repro(selection));
    Json json = select_json(file, selections, repros);
    for (const WatchedRoute& one : on_trial.subjects) {
      if (!one.witness) continue;
      json["routes"].push_back({{"subject", one.subject->name()}});
      json["routes"].back().update(routes_json(one.witness->evidence(), on_trial.witnesses));
    }
    reporter.finish(json);
    return counts_of(json).exit_code();
  }
};

}  // namespace

void add_select_command(CLI::App& app, int& exit_code) {
  auto select = std::make_shared<SelectCommand>();
  CLI::App* command = app.add_subcommand("select", "Judge the selections of a capture (kinds B and C)");
  command->add_option("file", select->file, "The capture")->required();
  command
      ->add_option("--contract", select->contract,
                   "What the subject promises (default: the file's, else within_error)")
      ->check(CLI::IsMember({"within_error", "set_exact", "tie_rule_set", "canonical"}));
  command->add_option("--tag", select->tag, "Judge only blocks_TAG (kind C: tokens or blocks)");
  command
      ->add_option(
          "--subject", select->subject,
          "What is on trial: the capture's record, or on its inputs our own selection (reference), every "
          "CUDA route that serves them (cuda) or one (cuda:ROUTE), or a foreign kernel (plugin:FILE.so)")
      ->check([](const std::string& word) {
        const bool known = word == "recorded" || word == "reference" || word == "cuda" ||
                           word.starts_with("cuda:") || word.starts_with(kPlugin);
        return known ? ""
                     : fmt::format("{} is not recorded, reference, cuda, cuda:ROUTE or plugin:FILE", word);
      })
      ->capture_default_str();
  select->report.add_to(*command);
  command->callback([select, &exit_code] { exit_code = select->run(); });
}

}  // namespace plumbline
