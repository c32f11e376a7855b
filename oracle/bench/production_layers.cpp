#include "oracle/bench/production_layers.h"

#include "reference/model/config_presets.h"
#include "reference/model/linear_layer.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plumbline {
namespace {

constexpr std::int64_t kHidden = 2560;

/// Bfloat16 numbers, spread evenly over ±reach by splitmix64 of their index.
float made_up(std::uint64_t index, float reach) {
  std::uint64_t z = (index + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  const auto byte = static_cast<int>((z ^ (z >> 31)) >> 56);
  return reach * static_cast<float>(2 * byte - 255) / 256;
}

/// Columns of unit gain; `reach` is a power of two, so that every weight is a bfloat16 number.
LinearWeight matrix(std::int64_t outputs, std::int64_t inner, std::uint64_t seed) {
  std::vector<float> weight(static_cast<std::size_t>(outputs * inner));
  const float reach = std::ldexp(1.0F, static_cast<int>(std::lround(std::log2(1.7 / std::sqrt(inner)))));
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = made_up(seed << 40 | i, reach);
  return {weight, outputs, inner};
}

std::vector<double> vector(std::int64_t count, float reach, double middle, std::uint64_t seed) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(middle +
                     static_cast<double>(made_up(seed << 40 | static_cast<std::uint64_t>(i), reach)));
  return values;
}

GatedDeltaNetWeights delta_net_weights() {
  const std::int64_t keys = 16 * 128, values = 48 * 128, channels = 2 * keys + values;
  return {16,
          48,
          128,
          128,
          1e-6,
          Activation::silu,
          Activation::sigmoid,
          matrix(channels, kHidden, 1),
          matrix(values, kHidden, 2),
          matrix(48, kHidden, 3),
          matrix(48, kHidden, 4),
          {4, 1, vector(channels * 4, 0.5F, 0, 5)},
          vector(48, 1, 0, 6),
          vector(48, 1, -3, 7),
          vector(128, 0.25F, 1, 8),
          matrix(kHidden, values, 9)};
}

QsaWeights attention_weights() {
  return {matrix(2 * 24 * 256, kHidden, 11), matrix(512, kHidden, 12),  matrix(512, kHidden, 13),
          matrix(kHidden, 24 * 256, 14),     vector(256, 0.25F, 0, 15), vector(256, 0.25F, 0, 16),
          matrix(640, kHidden, 17),          vector(128, 0.25F, 0, 18), vector(128, 0.25F, 0, 19)};
}

std::vector<float> frequencies() {
  std::vector<float> all;
  for (int i = 0; i < 32; ++i) all.push_back(static_cast<float>(std::pow(1e7, -i / 32.0)));
  return all;
}

double product_operations(const LinearWeight& weight, std::int64_t tokens) {
  return 2.0 * static_cast<double>(tokens) * static_cast<double>(weight.outputs()) *
         static_cast<double>(weight.inner());
}

}  // namespace

Rows<double> production_input(std::int64_t tokens) {
  Rows<double> x(tokens, kHidden);
  for (std::size_t i = 0; i < x.numbers.size(); ++i)
    x.numbers[i] = static_cast<double>(made_up(std::uint64_t{21} << 40 | i, 2));
  return x;
}

ProductionDeltaNet::ProductionDeltaNet()
    : arithmetic_(hf_cuda_profile(), DType::bfloat16), weights_(delta_net_weights()) {}

void ProductionDeltaNet::run(const Rows<double>& x) const {
  GatedDeltaNetState<double> state(weights_);
  gated_delta_net(x, weights_, DeltaRuleForm::chunked_on_grid, arithmetic_, state);
}

void ProductionDeltaNet::project(const Rows<double>& x) const { linear_layer(x, weights_.qkv, arithmetic_); }

double ProductionDeltaNet::projection_operations(std::int64_t tokens) const {
  return product_operations(weights_.qkv, tokens);
}

double ProductionDeltaNet::operations(std::int64_t tokens) const {
  double sum = 0;
  for (const LinearWeight* weight : {&weights_.qkv, &weights_.z, &weights_.b, &weights_.a, &weights_.out})
    sum += product_operations(*weight, tokens);
  const auto count = static_cast<double>(tokens), chunk = static_cast<double>(kDeltaRuleChunk);
  const auto keys = static_cast<double>(weights_.key_dim), values = static_cast<double>(weights_.value_dim);
  // Per token and head: k·k and q·k with its own chunk, the system's two right sides, the reads of the chunk,
  // and three products with the state. A triangle counts half.
  const double delta_rule = 2 * (chunk / 2 * (3 * keys + 2 * values) + 3 * keys * values);
  sum += count * static_cast<double>(weights_.value_heads) * delta_rule;
  return sum + 2 * count * static_cast<double>(weights_.channels() * weights_.convolution.taps);
}

ProductionAttention::ProductionAttention()
    : arithmetic_(hf_cuda_profile(), DType::bfloat16),
      config_(preset_model_config("qwen3.8-flash-next")),
      weights_(attention_weights()),
      layer_(std::make_unique<QsaLayer>(config_, weights_, frequencies(), hf_cuda_profile())) {}

void ProductionAttention::run(const Rows<double>& x, const QsaLayer::Watch& watch) const {
  std::vector<Coordinates> places;
  for (std::int64_t t = 0; t < x.rows; ++t) places.push_back(Coordinates::text(t));
  QsaState<double> state = layer_->new_state<double>();
  layer_->forward(x, places, arithmetic_, state, {}, watch);
}

double ProductionAttention::operations(std::int64_t tokens) const {
  double sum = 0;
  for (const LinearWeight* weight :
       {&weights_.query_and_gate, &weights_.key, &weights_.value, &weights_.index, &weights_.out})
    sum += product_operations(*weight, tokens);
  const SelectGeometry& geometry = config_.indexer.geometry;
  const AttentionGeometry& heads = config_.attention;
  for (std::int64_t t = 0; t < tokens; ++t) {
    const std::int64_t blocks = (t + 1) / geometry.compress_ratio,
                       selected = std::min<std::int64_t>(blocks, geometry.block_topk);
    const std::int64_t attended = selected * geometry.compress_ratio + (t + 1) % geometry.compress_ratio;
    sum += 2 * static_cast<double>(blocks * geometry.index_heads * geometry.index_head_dim) +
           4 * static_cast<double>(attended * heads.heads * heads.head_dim);
  }
  return sum;
}

}  // namespace plumbline
