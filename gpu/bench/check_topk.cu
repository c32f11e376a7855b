#include "gpu/bench/ceilings.cuh"
#include "gpu/bench/check_topk.h"
#include "gpu/bench/device_data.cuh"
#include "gpu/bench/device_judge.cuh"
#include "gpu/runtime/capability.h"
#include "gpu/select/topk_lexicographic.h"
#include "gpu/select/topk_persistent.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include <cuda_fp16.h>

namespace plumbline::gpu::bench {

std::vector<std::int32_t> select_on_host(const std::vector<float>& scores, std::int32_t n, std::int32_t k) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (n > k) {
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      std::uint32_t x, y;
      std::memcpy(&x, &scores[a], 4);
      std::memcpy(&y, &scores[b], 4);
      return judged_rank(x) > judged_rank(y);
    });
    order.resize(static_cast<std::size_t>(k));
    std::sort(order.begin(), order.end());
  }
  order.resize(static_cast<std::size_t>(k), -1);
  return order;
}

namespace {

using Selector = void (*)(const TopkRequest&, cudaStream_t);
constexpr Selector kLexicographic = [](const TopkRequest& request, cudaStream_t stream) {
  topk_lexicographic(request, stream);
};
constexpr Selector kPersistent = [](const TopkRequest& request, cudaStream_t stream) {
  topk_persistent(request, stream);
};

struct Scene {
  PlaneSpec spec{};
  DeviceBuffer<float> scores;
  DeviceBuffer<std::int32_t> lengths, blocks, again;
  DeviceBuffer<std::uint8_t> paths;

  Scene(Plane plane, std::int64_t rows, std::int32_t columns, std::int64_t stride, std::int32_t k,
        std::uint64_t seed, bool edges)
      : scores(rows * stride + 4), lengths(rows), blocks(rows * k), again(rows * k), paths(rows) {
    fill_lengths<<<static_cast<unsigned>((rows + 255) / 256), 256>>>(lengths.data(), rows, columns, k, seed,
                                                                     edges);
    spec = {plane, seed, rows, stride, columns, k, lengths.data()};
    const dim3 grid(static_cast<unsigned>(std::min<std::int64_t>((stride + 255) / 256, 64)),
                    static_cast<unsigned>(rows));
    fill_plane<<<grid, 256>>>(spec, scores.data());
    PLUMBLINE_CHECK_LAUNCH(fill_plane);
  }
  TopkRequest request(std::int32_t* out) const {
    return {scores.data(), spec.row_stride, lengths.data(), spec.rows, spec.columns, spec.k,
            out,           paths.data()};
  }
};

JudgeCounts judge(const Scene& scene, bool any_order) {
  DeviceBuffer<JudgeCounts> counts(1);
  JudgeCounts host{};
  host.first_bad_row = ~0ull;
  PLUMBLINE_CHECK(cudaMemcpy(counts.data(), &host, sizeof host, cudaMemcpyHostToDevice));
  const int bytes = (scene.spec.columns + 31) / 32 * 4;
  allow_shared_memory(reinterpret_cast<const void*>(judge_rows), bytes, "judge_rows");
  judge_rows<<<static_cast<unsigned>(scene.spec.rows), 512, bytes>>>(
      scene.scores.data(), scene.spec.row_stride, scene.lengths.data(), scene.spec.columns, scene.spec.k,
      scene.blocks.data(), any_order, counts.data());
  PLUMBLINE_CHECK_LAUNCH(judge_rows);
  PLUMBLINE_CHECK(cudaMemcpy(&host, counts.data(), sizeof host, cudaMemcpyDeviceToHost));
  return host;
}

/// Repeats on poisoned outputs; returns the number of words that differ from the first answer.
unsigned long long repeat(Selector selector, const Scene& scene, int repeats, cudaStream_t stream) {
  DeviceBuffer<unsigned long long> differences(1);
  PLUMBLINE_CHECK(cudaMemset(differences.data(), 0, sizeof(unsigned long long)));
  for (int i = 1; i < repeats; ++i) {
    PLUMBLINE_CHECK(cudaMemset(scene.again.data(), 0x80 + i, scene.again.bytes()));
    selector(scene.request(scene.again.data()), stream);
    PLUMBLINE_CHECK(cudaStreamSynchronize(stream));
    count_differences<<<512, 256>>>(reinterpret_cast<const std::uint32_t*>(scene.blocks.data()),
                                    reinterpret_cast<const std::uint32_t*>(scene.again.data()),
                                    scene.blocks.size(), differences.data());
    PLUMBLINE_CHECK_LAUNCH(count_differences);
  }
  unsigned long long host = 0;
  PLUMBLINE_CHECK(cudaMemcpy(&host, differences.data(), sizeof host, cudaMemcpyDeviceToHost));
  return host;
}

std::int64_t differing_host_rows(const Scene& scene, std::int64_t stop) {
  std::vector<float> scores(static_cast<std::size_t>(scene.spec.columns));
  std::vector<std::int32_t> blocks(static_cast<std::size_t>(scene.spec.k)),
      lengths(static_cast<std::size_t>(scene.spec.rows));
  PLUMBLINE_CHECK(
      cudaMemcpy(lengths.data(), scene.lengths.data(), scene.lengths.bytes(), cudaMemcpyDeviceToHost));
  std::int64_t bad = 0;
  for (std::int64_t row = 0; row < std::min(stop, scene.spec.rows); ++row) {
    PLUMBLINE_CHECK(cudaMemcpy(scores.data(), scene.scores.data() + row * scene.spec.row_stride,
                               scores.size() * 4, cudaMemcpyDeviceToHost));
    PLUMBLINE_CHECK(cudaMemcpy(blocks.data(), scene.blocks.data() + row * scene.spec.k, blocks.size() * 4,
                               cudaMemcpyDeviceToHost));
    const std::int32_t n = std::clamp(lengths[static_cast<std::size_t>(row)], 0, scene.spec.columns);
    bad += select_on_host(scores, n, scene.spec.k) != blocks;
  }
  return bad;
}

struct Totals {
  unsigned long long rows = 0, selecting = 0, host_rows = 0;
  unsigned long long paths[8] = {};
};

void check_scene(Report& report, const std::string& name, Selector selector, const Scene& scene,
                 bool any_order, int repeats, std::int64_t host_rows, cudaStream_t stream, Totals& totals) {
  PLUMBLINE_CHECK(cudaMemset(scene.blocks.data(), 0x7B, scene.blocks.bytes()));
  PLUMBLINE_CHECK(cudaMemset(scene.paths.data(), 0, scene.paths.bytes()));
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  selector(scene.request(scene.blocks.data()), stream);
  PLUMBLINE_CHECK(cudaStreamSynchronize(stream));
  const JudgeCounts counts = judge(scene, any_order);
  const unsigned long long changed = repeats > 1 ? repeat(selector, scene, repeats, stream) : 0;
  const std::int64_t host_bad = differing_host_rows(scene, host_rows);
  std::vector<std::uint8_t> paths(static_cast<std::size_t>(scene.spec.rows));
  PLUMBLINE_CHECK(cudaMemcpy(paths.data(), scene.paths.data(), paths.size(), cudaMemcpyDeviceToHost));
  unsigned long long by_path[8] = {};
  for (const std::uint8_t path : paths) ++by_path[path & 7];
  totals.rows += counts.rows;
  totals.selecting += counts.selecting_rows;
  totals.host_rows += static_cast<unsigned long long>(std::min(host_rows, scene.spec.rows));
  std::string fields = "\"rows\": " + std::to_string(counts.rows) +
                       ", \"selecting_rows\": " + std::to_string(counts.selecting_rows) +
                       ", \"bad_rows\": " + std::to_string(counts.bad_rows) +
                       ", \"structural\": " + std::to_string(counts.structural) +
                       ", \"order\": " + std::to_string(counts.order) +
                       ", \"outsider_above\": " + std::to_string(counts.outsider_above) +
                       ", \"tie_rule\": " + std::to_string(counts.tie_rule) +
                       ", \"changed_words\": " + std::to_string(changed) +
                       ", \"host_rows_wrong\": " + std::to_string(host_bad) + ", \"paths\": [";
  for (int i = 0; i < 6; ++i) {
    fields += (i > 0 ? ", " : "") + std::to_string(by_path[i]);
    totals.paths[i] += by_path[i];
  }
  fields += "]";
  if (counts.bad_rows > 0) fields += ", \"first_bad_row\": " + std::to_string(counts.first_bad_row);
  report.check(name, counts.bad_rows == 0 && changed == 0 && host_bad == 0 && counts.rows > 0, fields);
}

void check_planes(Report& report, const std::string& name, Selector selector, const CheckOptions& options,
                  cudaStream_t stream, Totals& totals) {
  struct Shape {
    std::int64_t rows;
    std::int32_t columns, k;
    std::int64_t extra_stride;
  };
  std::vector<Shape> shapes = {{1616, 7250, 512, 2}, {256, 46000, 512, 1},  {160, 65536, 512, 0},
                               {96, 262144, 512, 3}, {64, 106861, 2048, 0}, {200, 20011, 1024, 5},
                               {8, 600001, 512, 1},  {300, 4300, 77, 0},    {40, 9000, 1, 0}};
  if (options.reduced) shapes = {{40, 7250, 512, 2}, {34, 70000, 512, 1}, {6, 20011, 2048, 3}};
  for (const Shape& shape : shapes) {
    for (int plane = 0; plane < static_cast<int>(Plane::kCount); ++plane) {
      const Scene scene(static_cast<Plane>(plane), shape.rows, shape.columns,
                        shape.columns + shape.extra_stride, shape.k, options.seed + plane, true);
      check_scene(report,
                  name + " " + plane_name(static_cast<Plane>(plane)) + " " + std::to_string(shape.rows) +
                      "x" + std::to_string(shape.columns) + " k=" + std::to_string(shape.k),
                  selector, scene, false, options.reduced ? 2 : 5, options.reduced ? 4 : 6, stream, totals);
    }
  }
}

void check_random_rows(Report& report, const std::string& name, Selector selector,
                       const CheckOptions& options, cudaStream_t stream, Totals& totals) {
  constexpr Plane kPlanes[] = {Plane::kRelu, Plane::kQuantised, Plane::kSpecials, Plane::kNarrow};
  std::int64_t done = 0;
  for (int batch = 0; done < options.random_rows; ++batch) {
    const bool wide = batch % 4 == 0;  // a quarter of the batches, a tenth of the rows
    const std::int64_t rows = std::min<std::int64_t>(wide ? 4096 : 12288, options.random_rows - done);
    const std::int32_t columns = wide ? 46000 + static_cast<std::int32_t>(hash64(options.seed, batch) % 20000)
                                      : 600 + static_cast<std::int32_t>(hash64(options.seed, batch) % 12000);
    const Scene scene(kPlanes[(batch / 4 + batch) % 4], rows, columns, columns + batch % 4, 512,
                      options.seed + 1000 + batch, false);
    check_scene(report,
                name + " random batch " + std::to_string(batch) + " " + std::to_string(rows) + "x" +
                    std::to_string(columns),
                selector, scene, false, 1, 96, stream, totals);
    done += rows;
  }
}

void time_selectors(Report& report, const CheckOptions& options, const Stream& stream) {
  Stopwatch watch(stream.get());
  DeviceBuffer<float> sink(1);
  const auto ratio = [](const Timing& t, double read) {
    return "\"x_read\": " + std::to_string(t.median_ms / read);
  };
  for (const std::int32_t columns : {7250, 46000, 65536, 262144}) {
    double read = 0;
    for (const Plane plane : {Plane::kRelu, Plane::kQuantised, Plane::kNarrow, Plane::kConstant,
                              Plane::kPlateau, Plane::kRamp, Plane::kHiddenHigh}) {
      const Scene scene(plane, 1616, columns, columns, 512, options.seed, false);
      PLUMBLINE_CHECK(cudaDeviceSynchronize());
      const std::string shape = " 1616x" + std::to_string(columns) + " " + plane_name(plane);
      if (plane == Plane::kRelu) {
        const Timing t = watch([&] {
          read_once<<<132 * 8, 256, 0, stream.get()>>>(reinterpret_cast<const float4*>(scene.scores.data()),
                                                       1616ll * columns / 4, sink.data());
        });
        read = t.median_ms;
        report.time("read" + shape, t,
                    "\"gb_per_s\": " + std::to_string(1616.0 * columns * 4 / t.median_ms / 1e6));
      }
      const Timing t = watch([&] { topk_lexicographic(scene.request(scene.blocks.data()), stream.get()); });
      report.time("topk.lexicographic" + shape, t, ratio(t, read));
      if (plane == Plane::kRelu) {
        const Timing p = watch([&] { topk_persistent(scene.request(scene.blocks.data()), stream.get()); });
        report.time("topk.persistent" + shape, p, ratio(p, read));
      }
    }
  }
  for (const std::int64_t rows : {1, 8, 32}) {
    for (const std::int32_t columns : {65536, 262144}) {
      const Scene scene(Plane::kRelu, rows, columns, columns, 512, options.seed, false);
      PLUMBLINE_CHECK(cudaDeviceSynchronize());
      const std::string shape = " " + std::to_string(rows) + "x" + std::to_string(columns) + " relu";
      report.time("topk.lexicographic" + shape,
                  watch([&] { topk_lexicographic(scene.request(scene.blocks.data()), stream.get()); }));
      report.time("topk.persistent" + shape,
                  watch([&] { topk_persistent(scene.request(scene.blocks.data()), stream.get()); }));
    }
  }
}

}  // namespace

void check_topk(Report& report, const CheckOptions& options) {
  const Stream stream;
  Totals lexicographic, persistent;
  check_planes(report, "topk.lexicographic", kLexicographic, options, stream.get(), lexicographic);
  check_planes(report, "topk.persistent", kPersistent, options, stream.get(), persistent);
  if (!options.reduced) {
    check_random_rows(report, "topk.lexicographic", kLexicographic, options, stream.get(), lexicographic);
    bool every_path = true;
    for (int path = 1; path <= 5; ++path) every_path &= lexicographic.paths[path] > 0;
    report.check("every path of topk.lexicographic ran", every_path,
                 "\"rows\": " + std::to_string(lexicographic.rows));
  }
  for (const auto& [name, totals] :
       {std::pair{"lexicographic", lexicographic}, std::pair{"persistent", persistent}}) {
    const std::string prefix = std::string("topk.") + name + ".";
    report.fact(prefix + "rows_judged", static_cast<double>(totals.rows));
    report.fact(prefix + "selecting_rows", static_cast<double>(totals.selecting));
    report.fact(prefix + "host_rows", static_cast<double>(totals.host_rows));
    for (int path = 0; path < 6; ++path)
      report.fact(prefix + "path" + std::to_string(path), static_cast<double>(totals.paths[path]));
  }
  if (options.times) time_selectors(report, options, stream);
}

}  // namespace plumbline::gpu::bench
