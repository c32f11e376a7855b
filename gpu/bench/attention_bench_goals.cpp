#include "gpu/subject/attention_bench.h"

namespace plumbline::gpu {

std::vector<BenchGoal> attention_bench_goals(const AttentionBench& bench) {
  std::vector<BenchGoal> goals;
  for (const AttentionBenchScene& scene : bench.scenes) {
    for (const BenchStage& stage : scene.stages) {
      if (stage.arm != "direct") continue;
      const double rate = stage.bytes / stage.time.median_ms / 1e6;
      goals.push_back({"gathered bytes, " + scene.pattern + ", " + std::to_string(scene.tokens) + " tokens",
                       "% of the copy", 100 * rate / bench.copy_gb_per_s, 60, false});
    }
  }
  return goals;
}

}  // namespace plumbline::gpu
