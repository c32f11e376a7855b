#include "oracle/bench/model_layers.h"
#include "oracle/cli/bench_figures.h"

#include <memory>

#include <fmt/format.h>
#include <omp.h>

namespace plumbline {
namespace {

Json layers_json(const ModelBenchResult& result) {
  Json layers = Json::array();
  for (const LayerFigure& layer : result.layers) {
    layers.push_back({{"name", layer.name},
                      {"tokens", layer.tokens},
                      {"seconds", layer.seconds},
                      {"operations", layer.operations},
                      {"share", layer.share},
                      {"peak_bytes", layer.peak_bytes}});
  }
  return layers;
}

struct BenchModel {
  ModelBenchOptions options;
  std::string json;

  void run() const {
    const BenchFigures figures(json);
    if (options.threads > 0) omp_set_num_threads(options.threads);
    const ModelBenchResult result = bench_model_layers(options);
    std::string text = fmt::format("Eigen float32 product   {:8.1f} GFLOP/s  ({})\n",
                                   result.product_rate / 1e9, result.product_isa);
    for (const LayerFigure& layer : result.layers) {
      text += fmt::format("{:<24}{:6} tokens {:8.2f} s  {:5.1f} % of that rate  {:6.0f} MiB\n", layer.name,
                          layer.tokens, layer.seconds, 100 * layer.share,
                          static_cast<double>(layer.peak_bytes) / (1 << 20));
    }
    text +=
        fmt::format("sparse attention without its index scan: {:.3f} then {:.3f} ms a token, {:.2f} times\n",
                    1e3 * result.attention_short, 1e3 * result.attention_long, result.attention_growth);
    text += fmt::format("index scan {:.3f} s, Eigen product of its shape {:.3f} s, {:.2f} times\n",
                        result.scan_seconds, result.scan_product_seconds, result.scan_ratio);
    figures.tell("bench model",
                 {{"threads", result.threads},
                  {"product_isa", result.product_isa},
                  {"product_rate", result.product_rate},
                  {"layers", layers_json(result)},
                  {"attention_seconds_per_token_short", result.attention_short},
                  {"attention_seconds_per_token_long", result.attention_long},
                  {"attention_growth", result.attention_growth},
                  {"scan_seconds", result.scan_seconds},
                  {"scan_product_seconds", result.scan_product_seconds},
                  {"scan_ratio", result.scan_ratio}},
                 text);
  }
};

}  // namespace

void add_bench_model(CLI::App& bench) {
  auto model = std::make_shared<BenchModel>();
  CLI::App* command = bench.add_subcommand(
      "model", "The reference's layers at production width beside a plain Eigen float32 matrix product");
  command->add_option("--delta-net-tokens", model->options.delta_net_tokens, "Tokens of the GDN layer")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command
      ->add_option("--attention-tokens", model->options.attention_tokens,
                   "Tokens of the QSA layer, run at half of them too")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  command->add_option("--threads", model->options.threads, "Threads to use (default: OMP_NUM_THREADS)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--json", model->json, "Write the figures to this file (-: standard output)");
  command->callback([model] { model->run(); });
}

}  // namespace plumbline
