#include "oracle/cli/bench_figures.h"
#include "oracle/summation/split_report.h"

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <omp.h>

namespace plumbline {
namespace {

constexpr std::int64_t kHunts = 100;

struct BenchSplit {
  std::int64_t cases = 20000, rows = 64;
  std::uint64_t seed = 0;
  int threads = 0;
  std::string json, svg;

  void run() const {
    const BenchFigures figures(json);
    std::optional<OutputFile> picture;
    if (!svg.empty()) picture.emplace(svg);
    if (threads > 0) omp_set_num_threads(threads);
    const auto start = std::chrono::steady_clock::now();
    std::string text;
    Json trials = Json::array();
    bool sound = true;
    for (const Reduction reduction : all_reductions()) {
      const SplitTrials one = run_split_trials(reduction, {.cases = cases, .seed = seed});
      text += trials_text(one);
      trials.push_back(trials_json(one));
      sound = sound && one.sound();
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::vector<SplitPoint> points;
    for (const Reduction reduction : all_reductions()) {
      const std::vector<SplitPoint> swept = sweep_splits(reduction, {.rows = rows, .seed = seed});
      points.insert(points.end(), swept.begin(), swept.end());
    }
    for (const SplitPoint& point : points) sound = sound && point.beyond == 0;
    std::vector<FaultHunt> hunts;
    for (const Reduction reduction : all_reductions()) {
      for (const SplitFault& fault : planted_faults())
        hunts.push_back(hunt_fault(reduction, fault, kHunts, seed));
    }
    for (const FaultHunt& hunt : hunts) sound = sound && hunt.missed == 0;
    text += fmt::format("{} cases in {:.1f} s\n\n", cases * std::ssize(all_reductions()), seconds) +
            hunts_table(hunts) + "\n" + split_table(points);
    if (picture) picture->write(split_picture(points));
    figures.tell("bench split",
                 {{"cases_each", cases},
                  {"seed", seed},
                  {"seconds", seconds},
                  {"trials", std::move(trials)},
                  {"faults", hunts_json(hunts)},
                  {"by_split_count", sweep_json(points)}},
                 text);
    if (!sound) throw std::runtime_error("a split reduction broke a promise, see above");
  }
};

}  // namespace

void add_bench_split(CLI::App& bench) {
  auto split = std::make_shared<BenchSplit>();
  CLI::App* command = bench.add_subcommand(
      "split", "How far split reductions lie from the exact value, beside their bounds, per split count");
  command->add_option("--cases", split->cases, "Random plans and inputs of each reduction")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  command->add_option("--rows", split->rows, "Rows of each split count at production size")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--seed", split->seed, "The first seed")->capture_default_str();
  command->add_option("--svg", split->svg, "Draw deviation and bound over the split count into this file");
  command->add_option("--json", split->json, "Write the figures to this file (-: standard output)");
  command->add_option("--threads", split->threads, "Threads to use (default: OMP_NUM_THREADS)")
      ->check(CLI::Range(1, 4096));
  command->callback([split] { split->run(); });
}

}  // namespace plumbline
