#include "oracle/bench/model_layers.h"

#include "oracle/bench/memory_meter.h"
#include "oracle/bench/native/eigen_product.h"
#include "oracle/bench/production_layers.h"
#include "reference/model/linear_layer.h"
#include "reference/numeric/decode_row.h"
#include "reference/select/certified_select.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

#include <omp.h>

namespace plumbline {
namespace {

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Eigen's product of the layers' widest projection.
class Yardstick {
 public:
  explicit Yardstick(int threads)
      : threads_(threads),
        x_(kRows * kDepth, 0.5F),
        weight_(kColumns * kDepth, 0.25F),
        out_(kRows * kColumns) {
    run();
  }
  void run() {
    const double time = seconds([&] {
      plumbline_eigen_product(x_.data(), kRows, weight_.data(), kColumns, kDepth, out_.data(), threads_);
    });
    rates_.push_back(2.0 * kRows * kColumns * kDepth / time);
  }
  /// Without the first run, which warms up.
  double rate() const { return median({rates_.begin() + 1, rates_.end()}); }

 private:
  static constexpr std::int64_t kRows = 1024, kColumns = 12288, kDepth = 2560;
  int threads_;
  std::vector<float> x_, weight_, out_;
  std::vector<double> rates_;
};

class Bench {
 public:
  explicit Bench(const ModelBenchOptions& options) : yardstick_(options.threads) {}

  double measure(const std::string& name, std::int64_t tokens, double operations,
                 const std::function<void()>& work) {
    yardstick_.run();
    const MemoryMeter meter;
    const double time = seconds(work);
    figures_.push_back({name, tokens, time, operations, 0, meter.peak_growth()});
    yardstick_.run();
    return time;
  }
  double rate() const { return yardstick_.rate(); }
  std::vector<LayerFigure> figures() {
    for (LayerFigure& figure : figures_) figure.share = figure.operations / figure.seconds / rate();
    return figures_;
  }

 private:
  Yardstick yardstick_;
  std::vector<LayerFigure> figures_;
};

std::vector<float> as_float(const TensorView& view) {
  std::vector<float> values(static_cast<std::size_t>(element_count(view.shape)));
  decode_row(view.dtype, view.data, 1, values);
  return values;
}

/// Eigen's product of the queries with the keys they may see, 64 rows at a time.
double visible_product_seconds(const SelectInputs& inputs, int threads) {
  constexpr std::int64_t chunk = 64;
  const std::int64_t heads = inputs.geometry.index_heads, dim = inputs.geometry.index_head_dim;
  const std::vector<float> query = as_float(*inputs.index_query), key = as_float(*inputs.index_key);
  std::vector<float> scores(static_cast<std::size_t>(chunk * heads * inputs.blocks));
  return seconds([&] {
    for (std::int64_t first = 0; first < inputs.rows; first += chunk) {
      const std::int64_t count = std::min(chunk, inputs.rows - first);
      const std::int64_t visible = (first + count) / inputs.geometry.compress_ratio;
      plumbline_eigen_product(query.data() + first * heads * dim, count * heads, key.data(), visible, dim,
                              scores.data(), threads);
    }
  });
}

double scan_seconds(const SelectInputs& inputs, int threads) {
  return seconds([&] {
    CertifiedSelector(inputs, {}, {CertifyOptions::Filter::automatic, threads})
        .rows([](std::int64_t, const std::optional<CertifiedRow>&) {});
  });
}

/// What an index scan ranked, kept beyond the call.
struct Ranked {
  Tensor query, key, visible;
  SelectInputs inputs;

  void keep(const SelectInputs& given) {
    inputs = given;
    query = copy_of(*given.index_query);
    key = copy_of(*given.index_key);
    visible = copy_of(given.visible_blocks);
    inputs.index_query = query.view();
    inputs.index_key = key.view();
    inputs.visible_blocks = visible.view();
  }

 private:
  static Tensor copy_of(const TensorView& view) {
    Tensor tensor(view.dtype, view.shape);
    std::memcpy(tensor.bytes.data(), view.data, tensor.bytes.size());
    return tensor;
  }
};

void bench_attention(const ModelBenchOptions& options, const ProductionAttention& attention, Bench& bench,
                     ModelBenchResult& result) {
  for (const std::int64_t tokens : {options.attention_tokens / 2, options.attention_tokens}) {
    const Rows<double> x = production_input(tokens);
    Ranked ranked;
    const double time = bench.measure("sparse attention layer", tokens, attention.operations(tokens), [&] {
      attention.run(x, [&](const SelectInputs& inputs) { ranked.keep(inputs); });
    });
    std::vector<double> scans, products;
    for (int repetition = 0; repetition < 3; ++repetition) {
      products.push_back(visible_product_seconds(ranked.inputs, options.threads));
      scans.push_back(scan_seconds(ranked.inputs, options.threads));
    }
    result.scan_seconds = median(scans);
    result.scan_product_seconds = median(products);
    result.attention_short = result.attention_long;
    result.attention_long = (time - result.scan_seconds) / static_cast<double>(tokens);
  }
  result.attention_growth = result.attention_long / result.attention_short;
  result.scan_ratio = result.scan_seconds / result.scan_product_seconds;
}

}  // namespace

ModelBenchResult bench_model_layers(const ModelBenchOptions& given) {
  ModelBenchOptions options = given;
  if (options.threads == 0) options.threads = omp_get_max_threads();
  ModelBenchResult result;
  result.threads = options.threads;
  result.product_isa = plumbline_eigen_simd();
  Bench bench(options);
  {
    const ProductionDeltaNet layer;
    const Rows<double> x = production_input(options.delta_net_tokens);
    bench.measure("projection", x.rows, layer.projection_operations(x.rows), [&] { layer.project(x); });
    bench.measure("gated delta net layer", x.rows, layer.operations(x.rows), [&] { layer.run(x); });
  }
  bench_attention(options, ProductionAttention(), bench, result);
  result.product_rate = bench.rate();
  result.layers = bench.figures();
  return result;
}

}  // namespace plumbline
