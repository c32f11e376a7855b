#include "oracle/cli/commands.h"
#include "oracle/cli/cuda_subjects.h"
#include "oracle/cli/report_options.h"
#include "oracle/replay/replay_report.h"
#include "oracle/report/replay_json.h"
#include "oracle/run/device_replay.h"
#include "oracle/run/name_filter.h"
#include "oracle/run/repro.h"

#include <memory>
#include <string>

#include <fmt/format.h>

namespace plumbline {
namespace {

struct ReplayCommand {
  ReportOptions report;
  std::string file, mode = "teacher", profile, tap, subject = "recorded";
  std::int64_t layer = -1;
  bool stop_at_first = false;

  std::string repro(const ReplayReport& replay) const {
    std::vector<std::string> words = {"plumbline", "replay", file};
    if (subject == "recorded") {
      words.insert(words.end(), {"--profile", replay.profile});
    } else {
      words.insert(words.end(), {"--subject", subject});
    }
    if (mode != "teacher") words.insert(words.end(), {"--mode", mode});
    if (const TapReport* first = replay.first_divergence())
      words.insert(words.end(), {"--tap", exact_filter(first->name)});
    return repro_line(words, fmt::format("file {}, subject {}", file, subject));
  }

  int run() const {
    const Reporter reporter(report);
    const NameFilter filter(tap);
    ReplayRequest request;
    request.mode = mode == "free" ? ReplayMode::free : ReplayMode::teacher;
    request.profile = profile;
    if (!tap.empty()) request.options.wanted = [&](const std::string& name) { return filter.matches(name); };
    if (layer >= 0) request.options.layer = layer;
    request.options.stop_at_first = stop_at_first;
    request.threads = report.threads;
    Json json;
    if (subject == "recorded") {
      const ReplayReport replay = replay_capture(file, request);
      json = replay_json(replay, repro(replay));
    } else {
      const DeviceSubjects device = cuda_subjects(Watched::yes);
      const DeviceReplay made =
          replay_on_device(file, device, request, subject == "cuda" ? "" : subject.substr(5));
      json = replay_json(made.replay, repro(made.replay));
      if (made.routes) json["routes"] = routes_json(*made.routes, device.tracer->witnesses());
    }
    reporter.finish(json);
    return counts_of(json).exit_code();
  }
};

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
  auto replay = std::make_shared<ReplayCommand>();
  CLI::App* command = app.add_subcommand(
      "replay", "Compare every tap, state and logit of a model capture (kind A) with the reference");
  command->add_option("file", replay->file, "The capture")->required();
  command
      ->add_option("--mode", replay->mode,
                   "teacher: each operation on the capture's own inputs; free: from the tokens on")
      ->check(CLI::IsMember({"teacher", "free"}))
      ->capture_default_str();
  CLI::Option* profile = command->add_option(
      "--profile", replay->profile,
      "Whose rounding the engine is taken to follow (default: by the capture's producer)");
  command
      ->add_option("--subject", replay->subject,
                   "Whose results: the capture's record, or what the CUDA kernels (cuda), of selections one "
                   "route's (cuda:ROUTE), make of its inputs")
      ->check([](const std::string& word) {
        const bool known = word == "recorded" || word == "cuda" || word.starts_with("cuda:");
        return known ? "" : fmt::format("{} is not recorded, cuda or cuda:ROUTE", word);
      })
      ->capture_default_str();
  CLI::Option* layer = command->add_option("--layer", replay->layer, "Only this layer, counted from 0")
                           ->check(CLI::Range(0, 1 << 20));
  CLI::Option* tap =
      command->add_option("--tap", replay->tap, "Only taps this regular expression is found in");
  CLI::Option* stop = command->add_flag("--stop-at-first", replay->stop_at_first,
                                        "Nothing after the first tap out of bounds");
  replay->report.add_outputs_to(*command);
  command->callback([=, &exit_code] {
    if (replay->mode == "free" && layer->count() + tap->count() + stop->count() > 0)
      throw CLI::ValidationError("--layer, --tap and --stop-at-first need --mode teacher");
    if (replay->subject != "recorded" && (replay->mode == "free" || stop->count() + profile->count() > 0))
      throw CLI::ValidationError("--mode free, --profile and --stop-at-first need --subject recorded");
    exit_code = replay->run();
  });
}

}  // namespace plumbline
