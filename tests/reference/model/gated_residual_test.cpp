#include "reference/model/gated_residual.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

const BasicEngineArithmetic<double> kExact(exact_profile(), DType::float32);
constexpr std::int64_t kStreams = 4, kWidth = 6, kRank = 2, kAll = kStreams * kWidth;

LinearWeight zeros(std::int64_t outputs, std::int64_t inner) {
  return {std::vector<float>(static_cast<std::size_t>(outputs * inner), 0.0F), outputs, inner};
}

GatedResidualWeights closed_gates() {
  return {kStreams,
          0,
          std::vector<double>(kAll, 0.0),
          zeros(kRank, kAll),
          zeros(kAll, kRank),
          zeros(kStreams, kAll)};
}

/// Stream g holds ±(g + 1): its norm divides by g + 1.
Rows<double> tagged() {
  Rows<double> streams(1, kAll);
  for (std::int64_t i = 0; i < kAll; ++i)
    streams.numbers[static_cast<std::size_t>(i)] =
        static_cast<double>(i / kWidth + 1) * (i % 2 == 0 ? 1 : -1);
  return streams;
}

TEST(GatedResidual, WithoutWeightsEveryGateIsHalfOpenAndEveryStreamTakesAll) {
  const MixedStreams<double> mixed = mix_streams(tagged(), closed_gates(), kExact);
  for (std::size_t i = 0; i < kWidth; ++i) EXPECT_DOUBLE_EQ(mixed.input.row(0)[i], i % 2 == 0 ? 0.5 : -0.5);
  for (const double share : mixed.injection.numbers) EXPECT_EQ(share, 1);  // 2·σ(0)
}

// Streams are normed apart: a factor on one of them changes nothing.
TEST(GatedResidual, ANormSpansOneStream) {
  Rows<double> streams = tagged();
  for (double& number : streams.part(0, 2 * kWidth, kWidth)) number *= 1024;
  EXPECT_EQ(mix_streams(streams, closed_gates(), kExact).input.numbers,
            mix_streams(tagged(), closed_gates(), kExact).input.numbers);
}

TEST(GatedResidual, TheNormsWeightCountsFromOneAndStandsPerStream) {
  GatedResidualWeights weights = closed_gates();
  for (std::size_t i = 0; i < kAll; ++i) weights.norm[i] = i / kWidth == 3 ? 3 : -1;  // 1 + w = 0 but for one
  const MixedStreams<double> mixed = mix_streams(tagged(), weights, kExact);
  // mean over four of ½·4 of one
  for (std::size_t i = 0; i < kWidth; ++i) EXPECT_DOUBLE_EQ(mixed.input.row(0)[i], i % 2 == 0 ? 0.5 : -0.5);
}

TEST(GatedResidual, AGateOfOneStreamLetsThatStreamThrough) {
  GatedResidualWeights weights = closed_gates();
  // The low rank sees element 0 of stream 0 (normed: 1, so silu(1/4·16) = 4·σ(4)) and opens stream 1, shuts
  // the others.
  std::vector<float> down(kRank * kAll, 0.0F), up(kAll * kRank, 0.0F);
  down[0] = 16;
  for (std::size_t i = 0; i < kAll; ++i) up[i * kRank] = i / kWidth == 1 ? 100.0F : -100.0F;
  weights.down = {down, kRank, kAll};
  weights.up = {up, kAll, kRank};
  const MixedStreams<double> mixed = mix_streams(tagged(), weights, kExact);
  for (std::size_t i = 0; i < kWidth; ++i) EXPECT_DOUBLE_EQ(mixed.input.row(0)[i], i % 2 == 0 ? 0.25 : -0.25);
}

TEST(GatedResidual, InjectionGoesToItsOwnStream) {
  std::vector<float> inject(kStreams * kAll, 0.0F);
  for (std::size_t g = 0; g < kStreams; ++g) inject[g * kAll] = g == 2 ? 400.0F : -400.0F;
  GatedResidualWeights weights = closed_gates();
  weights.inject = LinearWeight(inject, kStreams, kAll);
  Rows<double> streams = tagged();
  const MixedStreams<double> mixed = mix_streams(streams, weights, kExact);
  EXPECT_EQ(mixed.injection.row(0)[2], 2);
  Rows<double> output(1, kWidth);
  for (double& number : output.numbers) number = 10;
  inject_into_streams(output, mixed.injection, kExact, streams);
  const Rows<double> before = tagged();
  for (std::size_t i = 0; i < kAll; ++i)
    EXPECT_NEAR(streams.numbers[i] - before.numbers[i], i / kWidth == 2 ? 20 : 0, 1e-40);
}

TEST(GatedResidual, NoRowsGiveNoRows) {
  const MixedStreams<double> mixed = mix_streams(Rows<double>(0, kAll), closed_gates(), kExact);
  EXPECT_EQ(mixed.input.rows, 0);
  EXPECT_TRUE(mixed.injection.numbers.empty());
}

}  // namespace
}  // namespace plumbline
