#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// One part of the reference model at production width beside a plain float32 product.
struct LayerFigure {
  std::string name;  ///< "gated delta net"
  std::int64_t tokens = 0;
  double seconds = 0;
  double operations = 0;  ///< multiplications and additions of its matrix products, as an engine counts them
  double share = 0;       ///< operations / seconds, as a share of the product's rate
  std::int64_t peak_bytes = 0;  ///< resident memory it needs beyond weights and input
};

struct ModelBenchResult {
  int threads = 0;
  std::string product_isa;  ///< of the product, in Eigen's words
  double product_rate = 0;  ///< operations a second of Eigen's float32 product, median of all its runs
  std::vector<LayerFigure> layers;
  /// The sparse attention layer without its index scan, seconds a token.
  double attention_short = 0, attention_long = 0;
  double attention_growth = 0;  ///< long / short
  /// The index scan of the longer run beside an Eigen product over the same visible blocks.
  double scan_seconds = 0, scan_product_seconds = 0, scan_ratio = 0;
};

struct ModelBenchOptions {
  std::int64_t delta_net_tokens = 2048;
  std::int64_t attention_tokens = 8192;  ///< measured too at half of it
  int threads = 0;                       ///< 0: OMP_NUM_THREADS
};

/// Layers of the released checkpoint's shape (MODEL.md §1) with made-up bfloat16 weights, under hf_cuda's
/// roundings: one GDN layer, one QSA layer, and its widest projection alone. The product runs before and
/// after each.
ModelBenchResult bench_model_layers(const ModelBenchOptions& options = {});

}  // namespace plumbline
