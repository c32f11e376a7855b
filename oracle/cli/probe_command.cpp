#include "fixtures/error.h"
#include "oracle/cli/bench_figures.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/cuda_subjects.h"
#include "oracle/cli/open_plugin.h"
#include "oracle/plugin/plugin_subject.h"
#include "oracle/summation/cpu_boxes.h"
#include "oracle/summation/device_boxes.h"
#include "oracle/summation/probe_report.h"
#include "oracle/summation/tensor_core_trial.h"

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

struct ProbeCommand {
  std::string subject = "cpu", json, type = "float16";
  std::vector<std::string> routes;
  std::int64_t terms = 128, model_dots = 0;
  std::optional<std::int64_t> rows, columns;

  int run() {
    const BenchFigures figures(json);
    if (subject == "cuda") {
      if (type == "float32") throw InputError("--type float32 goes with --subject plugin:FILE.so");
      return on_device(figures);
    }
    if (!routes.empty() || model_dots > 0) throw InputError("--route and --model go with --subject cuda");
    if (subject.starts_with(kPlugin)) return on_plugin(figures);
    const std::vector<std::string> names =
        subject == "cpu" ? cpu_box_names() : std::vector<std::string>{subject};
    for (const std::string& name : names) add(*cpu_box(name, terms));
    figures.tell("probe", {{"probes", std::move(probes_)}}, text_);
    return 0;
  }

 private:
  CallShape shape(std::int64_t usual_rows, std::int64_t usual_columns) const {
    const DType operands = type == "float32"    ? DType::float32
                           : type == "bfloat16" ? DType::bfloat16
                                                : DType::float16;
    return {rows.value_or(usual_rows), columns.value_or(usual_columns), terms, operands};
  }

  /// Not executed, in one line.
  static int not_executed(const std::string& reason) {
    fmt::print(stderr, "plumbline: not executed: {}\n", reason);
    return 3;
  }

  int on_plugin(const BenchFigures& figures) {
    const CallShape call = shape(4, 256);
    try {
      const auto plugin = std::make_shared<PluginSubject>(
          open_plugin(subject.substr(kPlugin.size()), std::chrono::seconds(60)));
      add(*scorer_box(
          plugin->name(), [plugin](const SelectInputs& inputs) { return plugin->score(inputs); }, call));
    } catch (const DeviceLacking& lacking) {
      return not_executed(lacking.what());
    } catch (const UnsupportedCase& unsupported) {
      return not_executed(
          fmt::format("scores of {} terms in {}: {}", terms, name_of(call.type), unsupported.what()));
    }
    figures.tell("probe", {{"probes", std::move(probes_)}}, text_);
    return 0;
  }

  void add(SumBox& box) {
    const ProbeReport report = probe(box);
    probes_.push_back(probe_json(report));
    text_ += probe_text(report);
  }

  static std::unique_ptr<SumBox> device_box(const DeviceSubjects& device, const std::string& route,
                                            CallShape call) {
    if (auto product = cuda_product(route)) {
      if (route == "mma.sync") call.rows = 16;  // an instruction's shape does not depend on the call's
      return product_box(std::move(product), call);
    }
    std::string known = "mma.sync, cublas";
    for (const DeviceRoute& one : device.routes) {
      const std::size_t plus = one.name.find('+');
      if (one.name == route || one.name.substr(0, plus) == route) return score_box(one.subject(), call);
      if (!one.on_given_scores && !one.several_requests) known += ", " + one.name;
    }
    throw InputError(fmt::format("route '{}': there is none of that name; there are {}", route, known));
  }

  int on_device(const BenchFigures& figures) {
    const DeviceSubjects device = cuda_subjects(Watched::no);
    if (device.routes.empty()) return not_executed(device.reason);
    const CallShape call = shape(1616, 2048);
    Json report = {{"device", device.device}, {"capability", device.capability}};
    report["call"] = {{"rows", call.rows}, {"columns", call.columns}, {"type", type}};
    text_ =
        fmt::format("{}; calls of {} rows × {} columns, {}\n", device.device, call.rows, call.columns, type);
    if (routes.empty()) routes = {"mma.sync", "cublas", "score.paged", "score.cublas_single", "score.hopper"};
    for (const std::string& route : routes) {
      try {
        add(*device_box(device, route, call));
      } catch (const UnsupportedCase& unsupported) {
        text_ += fmt::format("{}: not supported: {}\n", route, unsupported.what());
      }
    }
    const bool executed = !probes_.empty() || model_dots > 0;
    report["probes"] = std::move(probes_);
    bool sound = true;
    if (model_dots > 0) {
      const TensorCoreTrial trial =
          try_tensor_core(*cuda_product("mma.sync"), device.capability, model_dots, 1);
      text_ += "\n" + trial_text(trial);
      report["tensor_core"] = trial_json(trial);
      sound = trial.wrong() == 0;
    }
    figures.tell("probe", std::move(report), text_);
    return !executed ? 3 : sound ? 0 : 1;
  }

  Json probes_ = Json::array();
  std::string text_;
};

}  // namespace

void add_probe_command(CLI::App& app, int& exit_code) {
  auto probe = std::make_shared<ProbeCommand>();
  CLI::App* command =
      app.add_subcommand("probe", "Reveal in which order a black box adds, and how its accumulator rounds");
  command
      ->add_option(
          "--subject", probe->subject,
          "cpu (one of each kind), one of those by name (\"cpu-split:splits=4,local=lanes:8\"), cuda, or the "
          "scorer of a foreign kernel (plugin:FILE.so)")
      ->capture_default_str();
  command->add_option(
      "--route", probe->routes,
      "Of cuda: mma.sync, cublas, or a scorer such as score.paged; repeatable (default: all)");
  command->add_option("--terms", probe->terms, "Terms of the sum: the reduction dimension")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      ->add_option("--rows", probe->rows,
                   "Of cuda and plugins: rows of the call (default: 1616, of a plugin 4)")
      ->check(CLI::Range(1, 1 << 16));
  command
      ->add_option(
          "--columns", probe->columns,
          "Of cuda and plugins: columns of the call, blocks of a scorer (default: 2048, of a plugin 256)")
      ->check(CLI::Range(1, 1 << 20));
  command
      ->add_option("--type", probe->type, "Of cuda and plugins: type of the operands (float32: of plugins)")
      ->check(CLI::IsMember({"float16", "bfloat16", "float32"}))
      ->capture_default_str();
  command
      ->add_option("--model", probe->model_dots,
                   "Of cuda: compare this many dot products of mma.sync with the model of the tensor cores, "
                   "in each 16-bit type")
      ->check(CLI::Range(0, 1 << 28));
  command->add_option("--json", probe->json, "Write the figures to this file (-: standard output)");
  command->callback([probe, &exit_code] { exit_code = probe->run(); });
}

}  // namespace plumbline
