#include "gpu/bench/check_traces.h"
#include "gpu/bench/paged_scene.cuh"
#include "gpu/select/expand_tokens.h"
#include "gpu/select/select_fused.h"
#include "gpu/select/select_paged_tokens.h"
#include "gpu/select/visible_blocks.h"
#include "gpu/trace/trace_buffer.h"

#include <cmath>
#include <functional>
#include <string>

namespace plumbline::gpu::bench {
namespace {

constexpr int kPairs = 200;
constexpr double kStudent95 = 1.6525;  // one-sided 95 %, 199 degrees of freedom
constexpr double kMostCost = 0.01;

struct Cost {
  double mean = 0, upper95 = 0;  ///< of (with - without) / mean without
  double with_ms = 0, without_ms = 0;
};

/// Pairs of one call with and one without, the first of a pair by turns; each call after a write over twice
/// the L2.
class PairedStopwatch {
 public:
  explicit PairedStopwatch(cudaStream_t stream) : stream_(stream), flush_(std::int64_t{128} << 20) {}

  Cost operator()(const std::function<void(bool tagged)>& call) {
    for (const bool tagged : {false, true, false, true}) (void)milliseconds(call, tagged);
    std::vector<double> differences;
    Cost cost;
    for (int pair = 0; pair < kPairs; ++pair) {
      const bool tagged_first = pair % 2 == 1;
      const double first = milliseconds(call, tagged_first), second = milliseconds(call, !tagged_first);
      const double with = tagged_first ? first : second, without = tagged_first ? second : first;
      differences.push_back(with - without);
      cost.with_ms += with / kPairs;
      cost.without_ms += without / kPairs;
    }
    const double mean = cost.with_ms - cost.without_ms;
    double squares = 0;
    for (const double d : differences) squares += (d - mean) * (d - mean);
    const double error = std::sqrt(squares / (kPairs - 1) / kPairs);
    cost.mean = mean / cost.without_ms;
    cost.upper95 = (mean + kStudent95 * error) / cost.without_ms;
    return cost;
  }

 private:
  double milliseconds(const std::function<void(bool)>& call, bool tagged) {
    PLUMBLINE_CHECK(cudaMemsetAsync(flush_.data(), tagged ? 1 : 2, flush_.bytes(), stream_));
    start_.record(stream_);
    call(tagged);
    stop_.record(stream_);
    stop_.synchronize();
    return stop_.milliseconds_since(start_);
  }

  cudaStream_t stream_;
  DeviceBuffer<std::byte> flush_;
  Event start_, stop_;
};

}  // namespace

void time_tags(Report& report) {
  report.fact("tags_compiled", kTagsCompiled ? 1 : 0);
  const Stream stream;
  PairedStopwatch watch(stream.get());
  const auto time = [&](const std::string& route, std::int32_t rows, std::int32_t blocks,
                        const std::function<void(const PagedScene&, const Trace&)>& select) {
    const PagedScene scene({{4 * blocks, rows}}, 204, false, false, 0, 5);
    TraceBuffer buffer;
    const Graph untagged(stream.get(), [&] { select(scene, Trace{}); });
    const Graph tagged(stream.get(), [&] { select(scene, {buffer.log(), 1}); });
    buffer.clear();
    const Cost cost = watch([&](bool with) { (with ? tagged : untagged).launch(stream.get()); });
    const std::size_t tags = buffer.read(1).size();
    const std::string fields = "\"pairs\": " + std::to_string(kPairs) +
                               ", \"with_ms\": " + std::to_string(cost.with_ms) +
                               ", \"without_ms\": " + std::to_string(cost.without_ms) +
                               ", \"mean_percent\": " + std::to_string(100 * cost.mean) +
                               ", \"upper95_percent\": " + std::to_string(100 * cost.upper95) +
                               ", \"tags\": " + std::to_string(tags);
    const std::string name =
        "cost of tags: " + route + " " + std::to_string(rows) + "x" + std::to_string(blocks);
    // Tags that nobody wrote would cost nothing.
    report.check(name, cost.upper95 < kMostCost && tags > kPairs, fields);
    std::printf("%-62s %8.4f ms, tags %+.3f %% (95 %%: < %+.3f %%)\n", name.c_str(), cost.without_ms,
                100 * cost.mean, 100 * cost.upper95);
  };
  for (const auto& [rows, blocks] : {std::pair{1616, 46000}, {1616, 7250}, {8, 65536}}) {
    DeviceBuffer<std::int32_t> visible(rows), tokens(std::int64_t{rows} * 2051),
        selected(std::int64_t{rows} * 512);
    for (const auto& [route, score] :
         {std::pair{"score.cublas_single+topk.lexicographic", ScoreRoute::kCublas},
          {"score.paged+topk.lexicographic", ScoreRoute::kPaged},
          {"score.hopper+topk.lexicographic", ScoreRoute::kHopper}}) {
      PagedTokenSelector selector;
      SelectOptions options;
      options.score = score;
      time(route, rows, blocks, [&](const PagedScene& scene, const Trace& trace) {
        options.trace = trace;
        selector.select(scene.inputs, options, scene.widest(), tokens.data(), selected.data(), nullptr,
                        stream.get());
      });
    }
    FusedSelector fused;
    time("select.fused", rows, blocks, [&](const PagedScene& scene, const Trace& trace) {
      const TraceTag tag = trace.of(dispatch::Route::select_fused);
      count_visible_blocks(scene.inputs, scene.widest(), visible.data(), stream.get(), tag);
      fused.select(scene.inputs, scene.widest(), visible.data(), 512, selected.data(), nullptr, 0,
                   stream.get(), tag);
      expand_tokens(scene.inputs, selected.data(), 512, tokens.data(), stream.get(),
                    trace.of(dispatch::Route::expand_tokens));
    });
  }
}

}  // namespace plumbline::gpu::bench
