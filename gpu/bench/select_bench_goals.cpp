#include "gpu/subject/select_bench.h"

#include <optional>

namespace plumbline::gpu {
namespace {

std::optional<double> median(const SelectBenchContext& context, const std::string& arm,
                             const std::string& stage) {
  for (const BenchStage& one : context.stages)
    if (one.arm == arm && one.stage == stage) return one.time.median_ms;
  return std::nullopt;
}

double share_of_copy(const BenchStage& stage, double copy_gb_per_s) {
  return 100 * stage.bytes / stage.time.median_ms / 1e6 / copy_gb_per_s;
}

}  // namespace

std::vector<BenchGoal> select_bench_goals(const SelectBench& bench) {
  std::vector<BenchGoal> goals;
  const auto at_most = [&](const std::string& name, std::optional<double> found, double wanted,
                           const std::string& unit) {
    if (found) goals.push_back({name, unit, *found, wanted, true});
  };
  const auto ratio = [](std::optional<double> a, std::optional<double> b) -> std::optional<double> {
    if (!a || !b || *b <= 0) return std::nullopt;
    return *a / *b;
  };
  const auto enough_bandwidth = [&](const std::string& name, const BenchStage& stage) {
    goals.push_back(
        {name, "% of the copy's bandwidth", share_of_copy(stage, bench.copy_gb_per_s), 60, false});
  };
  for (const SelectBenchContext& context : bench.contexts) {
    const std::string at = " at " + std::to_string(context.blocks) + " blocks";
    const std::optional<double> whole = median(context, "cublas", "whole, in a graph");
    if (context.blocks == 7250) at_most("cuBLAS scorer and exact top-k" + at, whole, 0.17, "ms");
    if (context.blocks != 46000) continue;
    at_most("cuBLAS scorer and exact top-k" + at, whole, 0.80, "ms");
    at_most("exact top-k on given scores" + at,
            ratio(median(context, "cublas, scores kept", "top-k"), context.read_ms), 2.0, "x one read");
    at_most("persistent top-k" + at,
            ratio(median(context, "cublas, scores kept", "top-k, set alone"), context.read_ms), 3.0,
            "x one read");
    at_most("paged scorer" + at,
            ratio(median(context, "exact70", "score"), median(context, "cublas, scores kept", "score")), 2.0,
            "x the cuBLAS scorer");
    for (const BenchStage& stage : context.stages)
      if (stage.arm == "cublas" && stage.stage == "epilogue") enough_bandwidth("epilogue" + at, stage);
  }
  for (const BenchStage& stage : bench.wide) enough_bandwidth(stage.stage, stage);
  return goals;
}

}  // namespace plumbline::gpu
