#include "gpu/bench/check_topk.h"
#include "gpu/bench/paged_scene.cuh"
#include "gpu/runtime/capability.h"
#include "gpu/select/score_hopper.h"
#include "gpu/select/score_paged.h"
#include "gpu/select/select_fused.h"
#include "gpu/select/select_paged_tokens.h"
#include "gpu/select/visible_blocks.h"

#include <string>

namespace plumbline::gpu::bench {
namespace {

const char* route_name(ScoreRoute route) {
  return route == ScoreRoute::kCublas ? "cublas" : route == ScoreRoute::kPaged ? "paged" : "hopper";
}

/// Both fused routes in graphs, blocks alone.
void time_fused(Report& report, Stopwatch& watch, const std::string& shape, const PagedScene& scene,
                const std::int32_t* visible, std::int32_t* selected, float* scores, std::int64_t stride,
                const Stream& stream) {
  const std::int32_t columns = scene.widest();
  FusedSelector fused, two_kernel;
  const Graph fused_graph(stream.get(),
                          [&] { fused.select(scene.inputs, columns, visible, 512, selected, stream.get()); });
  report.time("graph: select.fused (blocks)" + shape, watch([&] { fused_graph.launch(stream.get()); }),
              "\"handed_over_rows\": " + std::to_string(fused.handed_over_rows(stream.get())));
  const Graph two_kernel_graph(stream.get(), [&] {
    two_kernel.select(scene.inputs, columns, visible, 512, selected, scores, stride, stream.get());
  });
  report.time("graph: select.two_kernel (blocks)" + shape,
              watch([&] { two_kernel_graph.launch(stream.get()); }));
}

/// The fused routes on keys made of ties and other hazards, and on few rows.
void time_fused_hazards(Report& report, const Stream& stream) {
  Stopwatch watch(stream.get());
  const auto time = [&](std::int32_t rows, std::int32_t blocks, Values values) {
    const PagedScene scene({{4 * blocks, rows}}, 204, false, false, 0, 5, values);
    const std::int64_t stride = (blocks + 3) / 4 * 4;
    DeviceBuffer<std::int32_t> visible(rows), selected(rows * 512);
    DeviceBuffer<float> scores(rows * stride);
    count_visible_blocks(scene.inputs, blocks, visible.data(), stream.get());
    time_fused(report, watch,
               " " + std::to_string(rows) + "x" + std::to_string(blocks) + " " + values_name(values), scene,
               visible.data(), selected.data(), scores.data(), stride, stream);
  };
  for (int values = 1; values < static_cast<int>(Values::kCount); ++values)
    time(1616, 46000, static_cast<Values>(values));
  for (const std::int32_t rows : {1, 8, 32})
    for (const std::int32_t blocks : {65536, 262144}) time(rows, blocks, Values::kNormal);
}

void time_routes(Report& report, const Stream& stream) {
  Stopwatch watch(stream.get());
  for (const std::int32_t blocks : {7250, 46000, 65536, 262144}) {
    const PagedScene scene({{4 * blocks, 1616}}, 204, false, false, 0, 5);
    const std::string shape = " 1616x" + std::to_string(blocks);
    DeviceBuffer<std::int32_t> visible(1616), tokens(1616 * 2051), selected(1616 * 512);
    const std::int64_t stride = (blocks + 3) / 4 * 4;
    DeviceBuffer<float> scores(1616 * stride);
    count_visible_blocks(scene.inputs, blocks, visible.data(), stream.get());
    for (const std::int64_t tile_mb : {32, 4096}) {
      CublasScorer scorer(tile_mb << 20);
      report.time("score.cublas tile " + std::to_string(tile_mb) + " MiB" + shape, watch([&] {
                    scorer.gather(scene.inputs, 0, blocks, stream.get());
                    scorer.score(scene.inputs, 0, 1616, visible.data(), scores.data(), stride, false,
                                 stream.get());
                  }));
    }
    for (const std::int64_t tile_mb : {24, 32, 48}) {
      CublasScorer scorer(tile_mb << 20);
      const Graph graph(stream.get(), [&] {
        scorer.gather(scene.inputs, 0, blocks, stream.get());
        scorer.score(scene.inputs, 0, 1616, visible.data(), scores.data(), stride, false, stream.get());
      });
      report.time("score.cublas graph, tile " + std::to_string(tile_mb) + " MiB" + shape,
                  watch([&] { graph.launch(stream.get()); }));
    }
    for (const ScoreRoute route : {ScoreRoute::kCublas, ScoreRoute::kPaged, ScoreRoute::kHopper}) {
      PagedTokenSelector selector;
      SelectOptions options;
      options.score = route;
      const Graph graph(stream.get(), [&] {
        selector.select(scene.inputs, options, blocks, tokens.data(), selected.data(), nullptr, stream.get());
      });
      report.time(std::string("graph: select ") + route_name(route) + " + lexicographic + expansion" + shape,
                  watch([&] { graph.launch(stream.get()); }));
    }
    time_fused(report, watch, shape, scene, visible.data(), selected.data(), scores.data(), stride, stream);
    report.time("score.paged" + shape, watch([&] {
                  score_paged(scene.inputs, blocks, visible.data(), scores.data(), stride, stream.get());
                }));
    report.time("score.hopper" + shape, watch([&] {
                  score_hopper(scene.inputs, blocks, visible.data(), scores.data(), stride, stream.get());
                }));
    FusedSelector fused;
    report.time("select fused (blocks)" + shape, watch([&] {
                  fused.select(scene.inputs, blocks, visible.data(), 512, selected.data(), stream.get());
                }),
                "\"handed_over_rows\": " + std::to_string(fused.handed_over_rows(stream.get())));
    for (const ScoreRoute route : {ScoreRoute::kCublas, ScoreRoute::kPaged, ScoreRoute::kHopper}) {
      PagedTokenSelector selector;
      SelectOptions options;
      options.score = route;
      report.time(std::string("select ") + route_name(route) + " + lexicographic + expansion" + shape,
                  watch([&] {
                    selector.select(scene.inputs, options, blocks, tokens.data(), selected.data(), nullptr,
                                    stream.get());
                  }));
    }
  }
}

}  // namespace

void time_scores(Report& report) {
  const Stream stream;
  time_routes(report, stream);
  if (current_device_limits().capability == 90) time_fused_hazards(report, stream);
}

}  // namespace plumbline::gpu::bench
