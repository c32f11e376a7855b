#include "reference/model/ple_layer.h"

#include "fixtures/error.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"
#include "tests/reference/model/tiny_model.h"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

const BasicEngineArithmetic<double> kExact(exact_profile(), DType::float32);
constexpr std::int64_t kWidth = 4, kStreams = 2;

LinearWeight scaled_identity(std::int64_t outputs, std::int64_t inner, float scale) {
  std::vector<float> weight(static_cast<std::size_t>(outputs * inner), 0.0F);
  for (std::int64_t i = 0; i < outputs; ++i) weight[static_cast<std::size_t>(i * inner + i % inner)] = scale;
  return {weight, outputs, inner};
}

/// Keys and values are the embedding itself, norms have gain 1, and the convolution passes nothing.
PleWeights plain(float key_scale) {
  const std::vector<double> gains(kStreams * kWidth, 0.0);
  return {{},
          {},
          0,
          kStreams,
          0,
          kWidth,
          {},
          scaled_identity(kStreams * kWidth, kWidth, key_scale),
          scaled_identity(kWidth, kWidth, 1),
          gains,
          gains,
          gains,
          {4, 3, std::vector<double>(kStreams * kWidth * 4, 0.0)}};
}

Rows<double> alternating(std::int64_t width, double size) {
  Rows<double> row(1, width);
  for (std::size_t i = 0; i < row.numbers.size(); ++i) row.numbers[i] = i % 2 == 0 ? size : -size;
  return row;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Both norms make ±1, so that s = ±H/√H = ±2, and the gate is σ(±√2).
TEST(PleLayer, TheGateIsTheSigmoidOfTheSignedRoot) {
  for (const float sign : {1.0F, -1.0F}) {
    Rows<double> history(9, kStreams * kWidth);
    const Rows<double> out =
        ple_layer(alternating(kStreams * kWidth, 5), alternating(kWidth, 3), plain(sign), kExact, history);
    const double gate = sigmoid(static_cast<double>(sign) * std::sqrt(2.0));
    for (std::size_t i = 0; i < out.numbers.size(); ++i)
      EXPECT_NEAR(out.numbers[i], gate * (i % 2 == 0 ? 3 : -3), 1e-14);
  }
}

// A stream at a right angle to its key: sign(0) is 0, and the gate is half open, not σ(√1e-6).
TEST(PleLayer, NoAgreementOpensTheGateByHalf) {
  Rows<double> streams = alternating(kStreams * kWidth, 5), history(9, kStreams * kWidth);
  for (std::size_t i = 0; i < streams.numbers.size(); ++i) streams.numbers[i] = i % 4 < 2 ? 1 : -1;
  const Rows<double> out = ple_layer(streams, alternating(kWidth, 3), plain(1), kExact, history);
  for (const double number : out.numbers) EXPECT_EQ(std::abs(number), 1.5);
}

// The history holds the normed gated values, and reaches nine tokens back: taps 3, 6 and 9 tokens before.
TEST(PleLayer, TheConvolutionReachesNineTokensBack) {
  PleWeights weights = plain(1);
  for (std::size_t channel = 0; channel < kStreams * kWidth; ++channel)
    weights.convolution.filter[channel * 4] = 1;
  Rows<double> history(9, kStreams * kWidth);
  std::vector<double> outputs;
  for (int token = 0; token < 12; ++token) {
    const Rows<double> embedding = token == 0 ? alternating(kWidth, 3) : alternating(kWidth, 0);
    PleWeights own = weights;
    own.epsilon = 1e-30;  // an embedding of zeros has a norm of zeros
    outputs.push_back(
        ple_layer(alternating(kStreams * kWidth, 5), embedding, own, kExact, history).numbers[0]);
  }
  const double silu_of_one = sigmoid(1);
  for (std::size_t token = 1; token < 12; ++token)
    EXPECT_NEAR(outputs[token], token == 9 ? silu_of_one : 0, 1e-12) << token;
}

// CASES.md A7: an idle rank has an empty batch.
TEST(PleLayer, NoTokensGiveNoRowsAndMoveNothing) {
  const ModelConfig config = parse_model_config(tiny_config("bfloat16").dump(), "tiny");
  const NamedTensors parameters = random_parameters(config);
  const LayerWeights layer = load_layer(config, source_of(parameters), 1);
  PleState<double> state(*layer.ple);
  state.context = {5, 6};
  state.convolution.numbers.back() = 3;
  const PleState<double> before = state;
  const Rows<double> embedding = ngram_embedding<double>({}, *layer.ple, state.context);
  EXPECT_EQ(
      ple_layer(Rows<double>(0, 128), embedding, *layer.ple, kExact, state.convolution, &state.earlier).rows,
      0);
  EXPECT_EQ(state.context, before.context);
  EXPECT_EQ(state.convolution.numbers, before.convolution.numbers);
}

TEST(PleLayer, AnEmbeddingIsItsHeadsTableRowsSideBySide) {
  const ModelConfig config = parse_model_config(tiny_config("bfloat16").dump(), "tiny");
  const NamedTensors parameters = random_parameters(config);
  const LayerWeights layer = load_layer(config, source_of(parameters), 1);
  const Tensor& table = parameters.at("model.layers.1.ple.ple_embedding.ngram_embedding.weight");
  const std::vector<std::int64_t> tokens = {3, 2, 150};
  std::vector<std::int64_t> context = {2, 2};
  const std::vector<std::int64_t> rows = ngram_rows(layer.ple->shape, layer.ple->tables, 2, context, tokens);
  const Rows<double> embedding = ngram_embedding<double>(tokens, *layer.ple, context);
  EXPECT_EQ(context, (std::vector<std::int64_t>{2, 150}));
  ASSERT_EQ(embedding.width, 32);
  for (std::int64_t t = 0; t < 3; ++t) {
    for (std::int64_t c = 0; c < 32; ++c) {
      const std::int64_t at = rows[static_cast<std::size_t>(t * 4 + c / 8)] * 8 + c % 8;
      EXPECT_EQ(embedding.row(t)[static_cast<std::size_t>(c)],
                decode_element(table.dtype, table.bytes.data() + at * 2));
    }
  }
}

}  // namespace
}  // namespace plumbline
