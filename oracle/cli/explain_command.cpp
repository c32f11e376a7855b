#include "fixtures/error.h"
#include "oracle/cli/commands.h"
#include "oracle/replay/explain.h"
#include "oracle/report/explain_text.h"
#include "oracle/report/output_file.h"
#include "oracle/report/replay_json.h"

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <omp.h>

namespace plumbline {
namespace {

struct ExplainCommand {
  std::string file, json;
  int threads = 0;

  void run() const {
    std::optional<OutputFile> output;
    if (!json.empty() && json != "-") output.emplace(json);
    if (threads > 0) omp_set_num_threads(threads);
    const CaptureInfo info = read_capture_info(file);
    if (info.kind != CaptureKind::model)
      throw InputError(file, "model_type", "qwen4_exp_text", info.model_type);
    const Json report = explain_json(explain_capture(ModelCapture(file)));
    if (output) output->write(to_text(report));
    fmt::print("{}", json == "-" ? to_text(report) : explain_text(report));
  }
};

}  // namespace

void add_explain_command(CLI::App& app) {
  auto explain = std::make_shared<ExplainCommand>();
  CLI::App* command = app.add_subcommand(
      "explain", "Which engine's rounding produced a model capture, operation by operation");
  command->add_option("file", explain->file, "The capture")->required();
  command->add_option("--json", explain->json, "Write the figures to this file (-: standard output)");
  command->add_option("--threads", explain->threads, "Threads to use (default: OMP_NUM_THREADS)")
      ->check(CLI::Range(1, 4096));
  command->callback([explain] { explain->run(); });
}

}  // namespace plumbline
