#include "fixtures/error.h"
#include "oracle/cli/bench_device.h"
#include "oracle/cli/bench_figures.h"
#include "oracle/judge/judge_attention.h"
#include "oracle/report/machine.h"

#include <memory>

#include <fmt/format.h>

#ifdef PLUMBLINE_WITH_CUDA
#include "gpu/subject/attention_bench.h"
#include "gpu/subject/cuda_subject.h"
#endif

namespace plumbline {
namespace {

struct BenchAttention {
  std::string device = "cuda:0", json, markdown, type = "f16";
  std::int64_t rows = 1616;
  std::vector<std::int64_t> contexts = {29000, 184000};
  int repetitions = 20;

  int run() const;
};

#ifdef PLUMBLINE_WITH_CUDA

double rate(const gpu::BenchStage& stage) { return stage.bytes / stage.time.median_ms / 1e6; }

Json json_of(const gpu::AttentionBench& bench, const BenchAttention& asked,
             const std::vector<AttentionReport>& judged) {
  Json scenes = Json::array(), goals = Json::array(), samples = Json::array();
  for (const gpu::AttentionBenchScene& scene : bench.scenes) {
    Json stages = Json::array(), checks = Json::array();
    for (const gpu::BenchStage& stage : scene.stages)
      stages.push_back({{"arm", stage.arm},
                        {"stage", stage.stage},
                        {"route", stage.route},
                        {"median_ms", stage.time.median_ms},
                        {"min_ms", stage.time.min_ms},
                        {"max_ms", stage.time.max_ms},
                        {"bytes", stage.bytes},
                        {"gb_per_s", rate(stage)},
                        {"percent_of_copy", 100 * rate(stage) / bench.copy_gb_per_s}});
    for (const gpu::BenchCheck& check : scene.checks)
      checks.push_back(
          {{"name", check.name}, {"status", check.passed ? "PASS" : "FAIL"}, {"detail", check.detail}});
    scenes.push_back({{"tokens", scene.tokens},
                      {"pattern", scene.pattern},
                      {"gathered_bytes", scene.gathered_bytes},
                      {"distinct_bytes", scene.distinct_bytes},
                      {"stages", stages},
                      {"checks", checks}});
  }
  for (const AttentionReport& one : judged)
    samples.push_back({{"scene", one.case_name},
                       {"rows", one.rows},
                       {"status", name_of(one.status)},
                       {"bound", one.derivation},
                       {"output_bit_equal", one.output->bit_equal},
                       {"output_elements", one.output->elements},
                       {"output_beyond_bound", one.output->beyond_bound},
                       {"lse_beyond_bound", one.lse->beyond_bound},
                       {"lse_share_of_bound", one.lse->used_share}});
  for (const gpu::BenchGoal& goal : bench.goals)
    goals.push_back({{"name", goal.name},
                     {"found", goal.found},
                     {"wanted", goal.wanted},
                     {"unit", goal.unit},
                     {"reached", goal.reached()}});
  return {{"device", bench.device},
          {"versions", bench.versions},
          {"build", build_name()},
          {"rows", asked.rows},
          {"dtype", asked.type},
          {"repetitions", asked.repetitions},
          {"seed", gpu::AttentionBenchOptions{}.seed},
          {"product_tflops", bench.product_tflops},
          {"copy_gb_per_s", bench.copy_gb_per_s},
          {"scenes", scenes},
          {"samples", samples},
          {"goals", goals}};
}

std::string text_of(const gpu::AttentionBench& bench, const BenchAttention& asked,
                    const std::vector<AttentionReport>& judged) {
  std::string text = fmt::format(
      "{}, {}\n{} rows, 24 heads over 2 of 256, 2051 tokens a row, {}, pages of 784, seed {}; medians of {} "
      "after 3 "
      "unmeasured calls, each behind a write of 256 MiB\nceilings of this run: float16 8192³ product {:.0f} "
      "TFLOP/s, device copy {:.0f} GB/s\n",
      bench.device, bench.versions, asked.rows, asked.type, gpu::AttentionBenchOptions{}.seed,
      asked.repetitions, bench.product_tflops, bench.copy_gb_per_s);
  for (const gpu::AttentionBenchScene& scene : bench.scenes) {
    text += fmt::format(
        "\n## {} tokens, {}\ngathered {:.2f} GB, of them distinct {:.3f} GB: at best {:.1f} % come from the "
        "L2 "
        "cache\n\n| arm | call | route | median ms | min–max | GB/s | of the copy "
        "|\n|---|---|---|---|---|---|---|\n",
        scene.tokens, scene.pattern, scene.gathered_bytes / 1e9, scene.distinct_bytes / 1e9,
        100 * scene.reuse());
    for (const gpu::BenchStage& stage : scene.stages)
      text += fmt::format("| {} | {} | {} | {:.4f} | {:.4f}–{:.4f} | {:.0f} | {:.0f} % |\n", stage.arm,
                          stage.stage, stage.route, stage.time.median_ms, stage.time.min_ms,
                          stage.time.max_ms, rate(stage), 100 * rate(stage) / bench.copy_gb_per_s);
    text += "\n";
    for (const gpu::BenchCheck& check : scene.checks)
      text += fmt::format("- {} {}: {}\n", check.passed ? "PASS" : "FAIL", check.name, check.detail);
  }
  text += "\n## Judged against exact attention\n";
  for (const AttentionReport& one : judged)
    text += fmt::format(
        "- {} {}, {} rows: {} of {} outputs bit-equal to the exact ones, {} beyond their bound; "
        "log-sum-exp {} beyond\n",
        name_of(one.status), one.case_name, one.rows, one.output->bit_equal, one.output->elements,
        one.output->beyond_bound, one.lse->beyond_bound);
  text += "\n## Goals\n";
  for (const gpu::BenchGoal& goal : bench.goals)
    text += fmt::format("- {} {}: {:.1f} {} (goal at least {:.0f})\n", goal.reached() ? "reached" : "MISSED",
                        goal.name, goal.found, goal.unit, goal.wanted);
  return text;
}

int BenchAttention::run() const {
  const int number = cuda_device_number(device);
  if (const gpu::DeviceProbe probe = gpu::probe_device(); !probe.device)
    return bench_unsupported("bench attention", probe.reason);
  const BenchFigures figures(json);
  gpu::AttentionBenchOptions options;
  options.rows = rows;
  options.contexts = contexts;
  options.bfloat16 = type == "bf16";
  options.repetitions = repetitions;
  const gpu::AttentionBench bench = gpu::bench_attention(number, options);
  std::vector<AttentionReport> judged;
  bool right = true;
  for (const gpu::AttentionSample& sample : bench.samples) {
    judged.push_back(judge_attention(sample.inputs(), sample.outputs,
                                     device_attention_model(sample.query.dtype, bench.capability)));
    judged.back().case_name = sample.name;
    right = right && judged.back().status == Status::pass;
  }
  for (const gpu::AttentionBenchScene& scene : bench.scenes)
    for (const gpu::BenchCheck& check : scene.checks) right = right && check.passed;
  const std::string text = text_of(bench, *this, judged);
  if (!markdown.empty())
    OutputFile(markdown).write(fmt::format("# The attention benchmark\n\nbuild {}; {}", build_name(), text));
  figures.tell("bench attention", json_of(bench, *this, judged), text);
  return right ? 0 : 1;
}

#else

int BenchAttention::run() const {
  cuda_device_number(device);
  return bench_unsupported("bench attention", "this build has no CUDA kernels");
}

#endif

}  // namespace

void add_bench_attention(CLI::App& bench, int& exit_code) {
  auto attention = std::make_shared<BenchAttention>();
  CLI::App* command = bench.add_subcommand(
      "attention", "Sparse attention of the real model on a CUDA device, beside the device's ceilings");
  command->add_option("--device", attention->device, "The device (cuda:0)")->capture_default_str();
  command->add_option("--rows", attention->rows, "Rows of the step")
      ->check(CLI::Range(3, 65536))
      ->capture_default_str();
  command->add_option("--context", attention->contexts, "Tokens of the request, one or more lengths")
      ->check(CLI::Range(4096, 1 << 20))
      ->capture_default_str();
  command->add_option("--dtype", attention->type, "Storage type")
      ->check(CLI::IsMember({"f16", "bf16"}))
      ->capture_default_str();
  command->add_option("--repetitions", attention->repetitions, "Runs of each; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--json", attention->json, "Write the figures to this file (-: standard output)");
  command->add_option("--markdown", attention->markdown, "Write the figures to this file as Markdown");
  command->callback([attention, &exit_code] { exit_code = attention->run(); });
}

}  // namespace plumbline
