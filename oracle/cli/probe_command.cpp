#include "fixtures/error.h"
#include "oracle/cli/bench_figures.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/cuda_subjects.h"
#include "oracle/summation/cpu_boxes.h"
#include "oracle/summation/device_boxes.h"
#include "oracle/summation/probe_report.h"
#include "oracle/summation/tensor_core_trial.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

struct ProbeCommand {
  std::string subject = "cpu", json, type = "float16";
  std::vector<std::string> routes;
  std::int64_t terms = 128, model_dots = 0;
  CallShape shape;

  int run() {
    const BenchFigures figures(json);
    shape.type = type == "bfloat16" ? DType::bfloat16 : DType::float16;
    shape.inner = terms;
    if (subject == "cuda") return on_device(figures);
    if (!routes.empty() || model_dots > 0) throw InputError("--route and --model go with --subject cuda");
    const std::vector<std::string> names =
        subject == "cpu" ? cpu_box_names() : std::vector<std::string>{subject};
    for (const std::string& name : names) add(*cpu_box(name, terms));
    figures.tell("probe", {{"probes", std::move(probes_)}}, text_);
    return 0;
  }

 private:
  void add(SumBox& box) {
    const ProbeReport report = probe(box);
    probes_.push_back(probe_json(report));
    text_ += probe_text(report);
  }

  std::unique_ptr<SumBox> device_box(const DeviceSubjects& device, const std::string& route) const {
    if (auto product = cuda_product(route)) {
      CallShape call = shape;
      if (route == "mma.sync") call.rows = 16;  // an instruction's shape does not depend on the call's
      return product_box(std::move(product), call);
    }
    std::string known = "mma.sync, cublas";
    for (const DeviceRoute& one : device.routes) {
      const std::size_t plus = one.name.find('+');
      if (one.name == route || one.name.substr(0, plus) == route) return score_box(one.subject(), shape);
      if (!one.on_given_scores && !one.several_requests) known += ", " + one.name;
    }
    throw InputError(fmt::format("route '{}': there is none of that name; there are {}", route, known));
  }

  int on_device(const BenchFigures& figures) {
    const DeviceSubjects device = cuda_subjects(Watched::no);
    if (device.routes.empty()) {
      fmt::print(stderr, "plumbline: not executed: {}\n", device.reason);
      return 3;
    }
    Json report = {{"device", device.device}, {"capability", device.capability}};
    report["call"] = {{"rows", shape.rows}, {"columns", shape.columns}, {"type", type}};
    text_ = fmt::format("{}; calls of {} rows × {} columns, {}\n", device.device, shape.rows, shape.columns,
                        type);
    if (routes.empty()) routes = {"mma.sync", "cublas", "score.paged", "score.cublas_single", "score.hopper"};
    for (const std::string& route : routes) {
      try {
        add(*device_box(device, route));
      } catch (const UnsupportedCase& unsupported) {
        text_ += fmt::format("{}: not supported: {}\n", route, unsupported.what());
      }
    }
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
    return sound ? 0 : 1;
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
          "cpu (one of each kind), one of those by name (\"cpu-split:splits=4,local=lanes:8\"), or cuda")
      ->capture_default_str();
  command->add_option(
      "--route", probe->routes,
      "Of cuda: mma.sync, cublas, or a scorer such as score.paged; repeatable (default: all)");
  command->add_option("--terms", probe->terms, "Terms of the sum: the reduction dimension")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--rows", probe->shape.rows, "Of cuda: rows of the call")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  command->add_option("--columns", probe->shape.columns, "Of cuda: columns of the call, blocks of a scorer")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--type", probe->type, "Of cuda: type of the operands")
      ->check(CLI::IsMember({"float16", "bfloat16"}))
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
