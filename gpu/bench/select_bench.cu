#include "fixtures/error.h"
#include "gpu/bench/bench_scene.cuh"
#include "gpu/bench/ceilings.cuh"
#include "gpu/bench/prove_rows.cuh"
#include "gpu/bench/wide_stages.h"
#include "gpu/select/expand_tokens.h"
#include "gpu/select/planned_selection.h"
#include "gpu/select/score_hopper.h"
#include "gpu/select/score_paged.h"
#include "gpu/select/select_fused.h"
#include "gpu/select/select_paged_tokens.h"
#include "gpu/select/topk_persistent.h"
#include "gpu/select/topk_products.h"
#include "gpu/select/visible_blocks.h"
#include "gpu/subject/cuda_subject.h"
#include "gpu/subject/select_bench.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

namespace plumbline::gpu {
namespace {

using namespace bench;
using dispatch::Route;

constexpr std::int32_t kTopk = 512, kWidth = 4 * kTopk + 3;

std::vector<std::int32_t> download(const DeviceBuffer<std::int32_t>& buffer) {
  std::vector<std::int32_t> host(static_cast<std::size_t>(buffer.size()));
  PLUMBLINE_CHECK(cudaMemcpy(host.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

/// Where the arms write, poisoned before an answer that is judged.
struct Answer {
  DeviceBuffer<std::int32_t> tokens, blocks, visible;
  DeviceBuffer<float> scores;
  std::int64_t stride;
  Answer(std::int64_t rows, std::int64_t columns)
      : tokens(rows * kWidth), blocks(rows * kTopk), visible(rows), scores(rows * columns), stride(columns) {}
  void poison() const {
    PLUMBLINE_CHECK(cudaMemset(tokens.data(), 0x7F, tokens.bytes()));
    PLUMBLINE_CHECK(cudaMemset(blocks.data(), 0x7F, blocks.bytes()));
    PLUMBLINE_CHECK(cudaMemset(scores.data(), 0xFF, scores.bytes()));
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
  }
};

/// One context: every arm timed, then asked again and judged.
class ContextBench {
 public:
  ContextBench(const SelectBenchOptions& options, std::int64_t tokens, const Ceilings& ceilings)
      : options_(options),
        rows_(std::min(options.rows, tokens)),
        scene_(rows_, tokens, options.page_size, options.capacity, options.int32_positions, options.seed),
        columns_(scene_.blocks()),
        stride_((std::int64_t{columns_} + 3) / 4 * 4),
        watch_(stream_.get()),
        answer_(rows_, std::max<std::int64_t>(stride_, scene_.inputs.capacity())) {
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
    count_visible_blocks(scene_.inputs, columns_, answer_.visible.data(), stream_.get());
    result_.tokens = tokens;
    result_.blocks = columns_;
    const double scores = 4.0 * static_cast<double>(rows_) * columns_, pairs = scores / 4;
    result_.tensor_floor_ms = pairs * 1024 / ceilings.tflop_per_s() / 1e9;
    const double pass = scores / ceilings.gb_per_s() / 1e6;
    result_.two_kernel_floor_ms = std::max(result_.tensor_floor_ms, pass) + pass;
  }

  SelectBenchContext run() {
    time_read();
    const std::vector<std::int32_t> before = planned_arm("exact70"), after = planned_arm("family7x");
    result_.identical_sets = identical_sets(before, after);
    cublas_arm();
    materialised_arm("cublas, scores kept", "score.cublas_single", ScoreRoute::kCublas);
    if (current_device_limits().capability == 90) {
      materialised_arm("hopper", "score.hopper", ScoreRoute::kHopper);
      fused_arm();
    }
    return std::move(result_);
  }

 private:
  void stage(const std::string& arm, const std::string& name, const std::string& route, double bytes,
             const std::function<void()>& work) {
    const Timing t = watch_(work, options_.repetitions);
    result_.stages.push_back({arm, name, route, {t.median_ms, t.min_ms, t.max_ms}, bytes});
  }
  void graph_stage(const std::string& arm, const std::string& name, const std::string& route,
                   const std::function<void()>& work) {
    const Graph graph(stream_.get(), work);
    stage(arm, name, route, 0, [&] { graph.launch(stream_.get()); });
  }
  double bytes_of_scores() const { return 4.0 * static_cast<double>(rows_) * columns_; }
  double bytes_of_expansion() const { return 4.0 * static_cast<double>(rows_) * (kTopk + kWidth); }

  void time_read() {
    DeviceBuffer<float> sink(1);
    stage("", "one read of the scores", "", bytes_of_scores(), [&] {
      read_once<<<1056, 256, 0, stream_.get()>>>(reinterpret_cast<const float4*>(answer_.scores.data()),
                                                 rows_ * stride_ / 4, sink.data());
      PLUMBLINE_CHECK_LAUNCH(read_once);
    });
    result_.read_ms = result_.stages.back().time.median_ms;
  }

  /// The proof of an answer on its own scores, after the timing.
  void judge(const std::string& arm, std::int64_t stride, bool any_order) {
    stream_.synchronize();
    const JudgeCounts counts = prove_rows(answer_.scores.data(), stride, answer_.visible.data(), rows_,
                                          columns_, kTopk, answer_.blocks.data(), any_order);
    result_.checks.push_back({arm + ": rows proven on their own scores",
                              counts.bad_rows == 0 && counts.rows == static_cast<unsigned long long>(rows_),
                              std::to_string(counts.rows) + " rows, " +
                                  std::to_string(counts.selecting_rows) + " select, " +
                                  std::to_string(counts.bad_rows) + " wrong"});
  }

  /// What the gate set plans for the seed's device, capability 7.5, forced on this one.
  std::vector<std::int32_t> planned_arm(const std::string& gates) {
    dispatch::PlanInput input{{7, 5}, dispatch::gate_set(gates), {}, {}, {}, {}};
    input.batch =
        dispatch::make_batch({{rows_, result_.tokens}}, options_.page_size, scene_.inputs.table_width);
    input.extensions.shared_key = false;
    if (options_.int32_positions) input.batch.query_positions.type = dispatch::ElementType::int32;
    const dispatch::Plan plan = dispatch::make_plan(input);
    const dispatch::SegmentPlan& segment = plan.segments.front();
    const dispatch::ChunkGroup& group = segment.groups.front();
    const std::string score(name_of(group.score.route)), topk(name_of(group.topk.route));
    result_.arm_plans.push_back(
        gates + ": " + score + ", " + topk + "; " + std::to_string(segment.chunks.count()) +
        " row chunks of at most " + std::to_string(segment.chunks.piece) + ", score rows of " +
        std::to_string(segment.score_columns) + " columns in tiles of " + std::to_string(group.tiles.piece));
    PlannedSelector selector;
    const PlannedOutputs kept{answer_.tokens.data(), answer_.blocks.data(), answer_.scores.data(),
                              PlannedSelector::score_columns(plan)};
    const PlannedOutputs tokens_alone{answer_.tokens.data(), answer_.blocks.data(), nullptr, 0};
    const auto part = [&](const PlannedOutputs& outputs, PlannedStages stages) {
      return [&, outputs, stages] {
        selector.select(plan, scene_.inputs, kTopk, outputs, stages, stream_.get());
      };
    };
    stage(gates, "score", score, 0, part(kept, {.score = true, .topk = false, .expand = false}));
    stage(gates, "top-k", topk, bytes_of_scores(),
          part(kept, {.score = false, .topk = true, .expand = false}));
    stage(gates, "expansion", "expand.tokens", bytes_of_expansion(),
          part(kept, {.score = false, .topk = false, .expand = true}));
    stage(gates, "whole", score + "+" + topk, 0, part(tokens_alone, {}));
    answer_.poison();
    selector.select(plan, scene_.inputs, kTopk, kept, {.poison_products = true}, stream_.get());
    judge(gates, kept.score_stride, operation_of(group.topk.route) == Route::topk_persistent);
    return download(answer_.tokens);
  }

  /// This device's cuBLAS route: selection straight from the products.
  void cublas_arm() {
    const std::string arm = "cublas", route = "score.cublas_single+topk.products";
    CublasScorer scorer;
    ProductPlane plane;
    stage(arm, "gather", "score.cublas_single", 512.0 * columns_,
          [&] { scorer.gather(scene_.inputs, 0, columns_, stream_.get()); });
    // Products beyond 8 GB are timed as the chunks of the whole call alone.
    const double bytes_of_products = 4 * bytes_of_scores();
    if (bytes_of_products < 8e9) {
      stage(arm, "product", "score.cublas_single", bytes_of_products,
            [&] { plane = scorer.multiply(scene_.inputs, 0, rows_, false, stream_.get()); });
      stage(arm, "epilogue", "score.cublas_single", bytes_of_products + bytes_of_scores(), [&] {
        scorer.reduce(rows_, answer_.visible.data(), answer_.scores.data(), stride_, stream_.get());
      });
      stage(arm, "top-k from products", "topk.products", bytes_of_products, [&] {
        topk_products({plane.product, plane.stride, plane.mapped, answer_.visible.data(), rows_, columns_,
                       kTopk, answer_.blocks.data()},
                      stream_.get());
      });
    }
    selection_arm(arm, route, {.score = ScoreRoute::kCublas, .topk = TopkRoute::kProducts});
  }

  void materialised_arm(const std::string& arm, const std::string& score, ScoreRoute route) {
    stage(arm, "score", score, 0, [&, scorer = std::make_shared<CublasScorer>()] {
      if (route == ScoreRoute::kHopper)
        return score_hopper(scene_.inputs, columns_, answer_.visible.data(), answer_.scores.data(), stride_,
                            stream_.get());
      scorer->gather(scene_.inputs, 0, columns_, stream_.get());
      scorer->score(scene_.inputs, 0, rows_, answer_.visible.data(), answer_.scores.data(), stride_, false,
                    stream_.get());
    });
    const TopkRequest given{answer_.scores.data(), stride_, answer_.visible.data(), rows_, columns_, kTopk,
                            answer_.blocks.data(), nullptr};
    stage(arm, "top-k", "topk.lexicographic", bytes_of_scores(),
          [&] { topk_lexicographic(given, stream_.get()); });
    if (route == ScoreRoute::kCublas)
      stage(arm, "top-k, set alone", "topk.persistent", bytes_of_scores(),
            [&] { topk_persistent(given, stream_.get()); });
    selection_arm(arm, score + "+topk.lexicographic", {.score = route});
  }

  void selection_arm(const std::string& arm, const std::string& route, SelectOptions options) {
    PagedTokenSelector selector;
    options.block_topk = kTopk;
    const auto whole = [&] {
      selector.select(scene_.inputs, options, columns_, answer_.tokens.data(), answer_.blocks.data(), nullptr,
                      stream_.get());
    };
    stage(arm, "whole", route, 0, whole);
    graph_stage(arm, "whole, in a graph", route, whole);
    // Blocks as timed, then with the scores they are judged on: both calls must agree.
    answer_.poison();
    whole();
    stream_.synchronize();
    const std::vector<std::int32_t> timed = download(answer_.blocks);
    answer_.poison();
    options.poison_products = options.score == ScoreRoute::kCublas;
    selector.select(scene_.inputs, options, columns_, answer_.tokens.data(), answer_.blocks.data(),
                    answer_.scores.data(), stream_.get());
    judge(arm, columns_, false);
    const std::vector<std::int32_t> judged = download(answer_.blocks);
    compare(arm + ": rows as timed, without the scores", timed, judged);
    const unsigned long long left = selector.poison_survivors(stream_.get());
    result_.checks.push_back(
        {arm + ": products left unwritten", left == 0, std::to_string(left) + " elements"});
  }

  void fused_arm() {
    FusedSelector fused;
    const auto whole = [&] {
      count_visible_blocks(scene_.inputs, columns_, answer_.visible.data(), stream_.get());
      fused.select(scene_.inputs, columns_, answer_.visible.data(), kTopk, answer_.blocks.data(),
                   stream_.get());
      expand_tokens(scene_.inputs, answer_.blocks.data(), kTopk, answer_.tokens.data(), stream_.get());
    };
    const std::vector<std::int32_t> hopper = download(answer_.blocks);  // the arm before: same scores
    stage("fused", "whole", "select.fused", 0, whole);
    graph_stage("fused", "whole, in a graph", "select.fused", whole);
    answer_.poison();
    whole();
    stream_.synchronize();
    compare("fused: rows as score.hopper and topk.lexicographic", download(answer_.blocks), hopper);
  }

  void compare(const std::string& name, const std::vector<std::int32_t>& a,
               const std::vector<std::int32_t>& b) {
    std::int64_t same = 0;
    for (std::int64_t row = 0; row < rows_; ++row)
      same += std::equal(a.begin() + row * kTopk, a.begin() + (row + 1) * kTopk, b.begin() + row * kTopk);
    result_.checks.push_back({name, same == rows_, std::to_string(same) + " of " + std::to_string(rows_)});
  }

  double identical_sets(std::vector<std::int32_t> a, std::vector<std::int32_t> b) const {
    std::int64_t same = 0;
    for (std::int64_t row = 0; row < rows_; ++row) {
      const auto x = a.begin() + row * kWidth, y = b.begin() + row * kWidth;
      std::sort(x, x + kWidth);
      std::sort(y, y + kWidth);
      same += std::equal(x, x + kWidth, y);
    }
    return static_cast<double>(same) / static_cast<double>(rows_);
  }

  const SelectBenchOptions& options_;
  std::int64_t rows_;
  BenchScene scene_;
  std::int32_t columns_;
  std::int64_t stride_;
  Stream stream_;
  Stopwatch watch_;
  Answer answer_;
  SelectBenchContext result_;
};

/// "driver 580.159.04, ", or nothing where the system does not say.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word)
    if (std::count(word.begin(), word.end(), '.') == 2 &&
        std::isdigit(static_cast<unsigned char>(word[0])) != 0)
      return "driver " + word + ", ";
  return {};
}

}  // namespace

SelectBench bench_select(int device, const SelectBenchOptions& options) {
  int devices = 0;
  PLUMBLINE_CHECK(cudaGetDeviceCount(&devices));
  if (device < 0 || device >= devices)
    throw InputError("--device cuda:" + std::to_string(device) + ": the machine has " +
                     std::to_string(devices) + " CUDA devices");
  PLUMBLINE_CHECK(cudaSetDevice(device));
  const DeviceProbe probe = probe_device();
  if (!probe.device) throw CudaError(probe.reason);
  SelectBench bench;
  bench.device = probe.device->name + ", capability " + probe.device->capability;
  bench.versions = driver_version() + probe.device->versions;
  const Ceilings ceilings = measure_ceilings();
  bench.product_tflops = ceilings.tflop_per_s();
  bench.copy_gb_per_s = ceilings.gb_per_s();
  for (const std::int64_t tokens : options.contexts)
    bench.contexts.push_back(ContextBench(options, tokens, ceilings).run());
  bench.wide = time_wide_stages(options.repetitions);
  bench.goals = select_bench_goals(bench);
  return bench;
}

}  // namespace plumbline::gpu
