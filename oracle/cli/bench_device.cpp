#include "oracle/cli/bench_device.h"

#include "fixtures/error.h"
#include "oracle/cli/bench_figures.h"
#include "oracle/report/machine.h"

#include <charconv>

#include <fmt/format.h>

#ifdef PLUMBLINE_WITH_CUDA
#include "gpu/subject/cuda_subject.h"
#include "gpu/subject/select_bench.h"
#endif

namespace plumbline {

int cuda_device_number(const std::string& text) {
  int number = -1;
  const std::string prefix = "cuda:";
  const char* end = text.data() + text.size();
  if (text.starts_with(prefix)) {
    const auto result = std::from_chars(text.data() + prefix.size(), end, number);
    if (result.ec == std::errc() && result.ptr == end && number >= 0) return number;
  }
  throw InputError(fmt::format("--device: expected cuda:N, found '{}'", text));
}

int bench_unsupported(const std::string& command, const std::string& why) {
  fmt::print("UNSUPPORTED: {} --device: {}\n", command, why);
  return 3;
}

namespace {

#ifdef PLUMBLINE_WITH_CUDA

Json json_of(const gpu::BenchTime& time) {
  return {{"median_ms", time.median_ms}, {"min_ms", time.min_ms}, {"max_ms", time.max_ms}};
}

/// Share of the copy's bandwidth, per cent.
double copy_share(const gpu::BenchStage& stage, const gpu::SelectBench& bench) {
  return 100 * stage.bytes / stage.time.median_ms / 1e6 / bench.copy_gb_per_s;
}

Json json_of(const gpu::BenchStage& stage, const gpu::SelectBench& bench) {
  Json json = json_of(stage.time);
  json.update({{"arm", stage.arm}, {"stage", stage.stage}, {"route", stage.route}});
  if (stage.bytes > 0) json.update({{"bytes", stage.bytes}, {"percent_of_copy", copy_share(stage, bench)}});
  return json;
}

Json json_of(const gpu::SelectBench& bench, const gpu::SelectBenchOptions& options) {
  Json contexts = Json::array(), wide = Json::array(), goals = Json::array();
  for (const gpu::SelectBenchContext& context : bench.contexts) {
    Json stages = Json::array(), checks = Json::array();
    for (const gpu::BenchStage& stage : context.stages) stages.push_back(json_of(stage, bench));
    for (const gpu::BenchCheck& check : context.checks)
      checks.push_back(
          {{"name", check.name}, {"status", check.passed ? "PASS" : "FAIL"}, {"detail", check.detail}});
    contexts.push_back({{"tokens", context.tokens},
                        {"blocks", context.blocks},
                        {"read_ms", context.read_ms},
                        {"tensor_floor_ms", context.tensor_floor_ms},
                        {"two_kernel_floor_ms", context.two_kernel_floor_ms},
                        {"share_of_rows_with_identical_sets", context.identical_sets},
                        {"arms", context.arm_plans},
                        {"stages", stages},
                        {"checks", checks}});
  }
  for (const gpu::BenchStage& stage : bench.wide) wide.push_back(json_of(stage, bench));
  for (const gpu::BenchGoal& goal : bench.goals)
    goals.push_back({{"name", goal.name},
                     {"found", goal.found},
                     {"wanted", goal.wanted},
                     {"unit", goal.unit},
                     {"at_most", goal.at_most},
                     {"reached", goal.reached()}});
  return {{"device", bench.device},
          {"versions", bench.versions},
          {"rows", options.rows},
          {"page_size", options.page_size},
          {"capacity", options.capacity},
          {"positions", options.int32_positions ? "int32" : "int64"},
          {"repetitions", options.repetitions},
          {"seed", options.seed},
          {"product_tflops", bench.product_tflops},
          {"copy_gb_per_s", bench.copy_gb_per_s},
          {"contexts", contexts},
          {"wide", wide},
          {"goals", goals}};
}

std::string row_of(const gpu::BenchStage& stage, const gpu::SelectBench& bench,
                   const gpu::SelectBenchContext* context) {
  const double ms = stage.time.median_ms;
  return fmt::format("| {} | {} | {} | {:.4f} | {:.4f}–{:.4f} | {} | {} | {} |\n", stage.arm, stage.stage,
                     stage.route, ms, stage.time.min_ms, stage.time.max_ms,
                     context != nullptr ? fmt::format("{:.2f}", ms / context->two_kernel_floor_ms) : "",
                     context != nullptr ? fmt::format("{:.2f}", ms / context->read_ms) : "",
                     stage.bytes > 0 ? fmt::format("{:.0f} %", copy_share(stage, bench)) : "");
}

/// The figures as Markdown, which is the text too.
std::string markdown_of(const gpu::SelectBench& bench, const gpu::SelectBenchOptions& options) {
  const std::string header =
      "| arm | stage | route | median ms | min–max | x floor | x read | of the copy "
      "|\n|---|---|---|---|---|---|---|---|\n";
  std::string text = fmt::format(
      "{}, {}\n{} rows, 4 heads of 128, ratio 4, top-k 512, float16, pages of {} in order, page table of at "
      "least {} "
      "blocks, {} positions, seed {}; medians of {} after 3 unmeasured calls, each behind a write of 256 "
      "MiB\n"
      "ceilings of this run: float16 8192³ product {:.0f} TFLOP/s, device copy {:.0f} GB/s\n",
      bench.device, bench.versions, options.rows, options.page_size, options.capacity,
      options.int32_positions ? "int32" : "int64", options.seed, options.repetitions, bench.product_tflops,
      bench.copy_gb_per_s);
  for (const gpu::SelectBenchContext& context : bench.contexts) {
    text += fmt::format(
        "\n## {} tokens, {} blocks\ntensor floor {:.4f} ms, two-kernel floor {:.4f} ms, one read of the "
        "scores {:.4f} "
        "ms; rows with identical token sets under exact70 and family7x: {:.2f} %\n\n",
        context.tokens, context.blocks, context.tensor_floor_ms, context.two_kernel_floor_ms, context.read_ms,
        100 * context.identical_sets);
    for (const std::string& plan : context.arm_plans) text += fmt::format("- {}\n", plan);
    text += "\n" + header;
    for (const gpu::BenchStage& stage : context.stages) text += row_of(stage, bench, &context);
    text += "\n";
    for (const gpu::BenchCheck& check : context.checks)
      text += fmt::format("- {} {}: {}\n", check.passed ? "PASS" : "FAIL", check.name, check.detail);
  }
  text += "\n## Beyond the L2\n" + header;
  for (const gpu::BenchStage& stage : bench.wide) text += row_of(stage, bench, nullptr);
  text += "\n## Goals\n";
  for (const gpu::BenchGoal& goal : bench.goals)
    text += fmt::format("- {} {}: {:.3f} {} (goal {} {:.2f})\n", goal.reached() ? "reached" : "MISSED",
                        goal.name, goal.found, goal.unit, goal.at_most ? "at most" : "at least", goal.wanted);
  return text;
}

bool all_right(const gpu::SelectBench& bench) {
  for (const gpu::SelectBenchContext& context : bench.contexts) {
    for (const gpu::BenchCheck& check : context.checks)
      if (!check.passed) return false;
  }
  return true;
}

#endif

}  // namespace

void DeviceBench::add_to(CLI::App& command) {
  CLI::Option* given =
      command.add_option("--device", device, "Measure the CUDA routes on this device (cuda:0)");
  const auto needs_device = [&](CLI::Option* option) { option->needs(given)->capture_default_str(); };
  needs_device(
      command.add_option("--rows", rows, "Rows: the last ones of one request")->check(CLI::Range(1, 65536)));
  needs_device(command.add_option("--context", contexts, "Tokens of the request, one or more lengths")
                   ->check(CLI::Range(4, 4 << 20)));
  needs_device(
      command.add_option("--page-size", page_size, "Blocks of a page")->check(CLI::Range(1, 1 << 20)));
  needs_device(command.add_option("--capacity", capacity, "Blocks the page table addresses at least")
                   ->check(CLI::Range(0, 1 << 20)));
  needs_device(command.add_option("--positions", positions, "Type of the query positions")
                   ->check(CLI::IsMember({"int64", "int32"})));
  needs_device(command.add_option("--markdown", markdown, "Write the figures to this file as Markdown"));
}

#ifdef PLUMBLINE_WITH_CUDA

int DeviceBench::run(const std::string& json, int repetitions) const {
  const int number = cuda_device_number(device);
  if (const gpu::DeviceProbe probe = gpu::probe_device(); !probe.device)
    return bench_unsupported("bench select", probe.reason);
  const BenchFigures figures(json);
  gpu::SelectBenchOptions options;
  options.rows = rows;
  options.contexts = contexts;
  options.page_size = static_cast<std::int32_t>(page_size);
  options.capacity = capacity;
  options.int32_positions = positions == "int32";
  if (repetitions > 0) options.repetitions = repetitions;
  const gpu::SelectBench bench = gpu::bench_select(number, options);
  const std::string text = markdown_of(bench, options);
  if (!markdown.empty())
    OutputFile(markdown).write(fmt::format("# The selection benchmark\n\nbuild {}; {}", build_name(), text));
  figures.tell("bench select", json_of(bench, options), text);
  return all_right(bench) ? 0 : 1;
}

#else

int DeviceBench::run(const std::string&, int) const {
  cuda_device_number(device);
  return bench_unsupported("bench select", "this build has no CUDA kernels");
}

#endif

}  // namespace plumbline
