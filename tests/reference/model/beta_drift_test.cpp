#include "fixtures/small_float.h"
#include "tests/reference/model/exact_delta_net.h"
#include "tests/reference/model/stepping_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

constexpr std::int64_t kTokens = 4096, kKeys = 5, kValues = 4;

/// What the layer is given, all bfloat16 numbers.
struct Text {
  Rows<double> projected, b, a;
  std::vector<const UnitVector*> keys;

  explicit Text(const GatedDeltaNetWeights& weights)
      : projected(kTokens, weights.channels()), b(kTokens, 1), a(kTokens, 1) {
    std::mt19937_64 random(1);
    const auto between = [&](double low, double high) {
      return round_to(DType::bfloat16, low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53);
    };
    for (std::int64_t t = 0; t < kTokens; ++t) {
      keys.push_back(&kUnitVectors[random() % kUnitVectors.size()]);
      std::ranges::copy(keys.back()->numbers, projected.part(t, 0, kKeys).begin());
      std::ranges::copy(keys.back()->numbers, projected.part(t, kKeys, kKeys).begin());
      for (double& number : projected.part(t, 2 * kKeys, kValues)) number = between(0, 3);
      b.numbers[static_cast<std::size_t>(t)] = between(-5, 3);
      a.numbers[static_cast<std::size_t>(t)] = between(-9, -3);  // log decays of 1e-4 to 0.05
    }
  }
};

Rows<double> rows_of(const Rows<double>& rows, std::int64_t first, std::int64_t count) {
  Rows<double> some(count, rows.width);
  std::copy_n(rows.row(first).begin(), count * rows.width, some.numbers.begin());
  return some;
}

/// A state that is stepped by the layer under one profile, beside its oracle.
struct SteppedLayer {
  const GatedDeltaNetWeights& weights;
  BasicEngineArithmetic<double> arithmetic;
  double beta_error;
  GatedDeltaNetState<double> state{weights};
  SteppingOracle oracle{kKeys, kValues};

  void step(const Text& text, std::int64_t first, std::int64_t count) {
    delta_rule_of_projection(rows_of(text.projected, first, count), rows_of(text.b, first, count),
                             rows_of(text.a, first, count), weights, DeltaRuleForm::recurrent, arithmetic,
                             state);
    for (std::int64_t t = first; t < first + count; ++t) {
      const auto i = static_cast<std::size_t>(t);
      std::vector<double> key;
      for (const double number : text.keys[i]->numbers) key.push_back(number / text.keys[i]->length);
      const long double beta = 1 / (1 + std::exp(-static_cast<long double>(text.b.numbers[i])));
      const long double g = -std::log1p(std::exp(static_cast<long double>(text.a.numbers[i])));
      // e^g is rounded once, and so was g.
      oracle.step(key, text.projected.part(t, 2 * kKeys, kValues), beta, g, beta_error,
                  1 + static_cast<double>(-g));
    }
  }
  std::vector<double> errors() const { return oracle.errors(state.heads[0].numbers); }
};

// CASES.md E1: what rounding β to bfloat16 (u = 2^-8) moves the state by, and what keeping it in float32
// does.
TEST(BetaDrift, BothModesStayWithinTheirBoundsAndTheStoredOneLeavesTheOthers) {
  const GatedDeltaNetWeights weights = transparent_delta_net(1, kKeys, kValues);
  const Text text(weights);
  RoundingProfile unstored = hf_cuda_profile();
  unstored.store_beta = false;
  SteppedLayer kept{weights, {unstored, DType::bfloat16}, 0x1p-24};
  SteppedLayer stored{weights, {hf_cuda_profile(), DType::bfloat16}, 0x1p-8 + 0x1p-24};
  for (std::int64_t first = 0; first < kTokens; first += 64) {
    kept.step(text, first, 64);
    stored.step(text, first, 64);
    const std::vector<double> small = kept.errors(), large = stored.errors();
    for (std::size_t c = 0; c < small.size(); ++c) {
      ASSERT_LE(small[c], kept.oracle.bound[c]) << first;
      ASSERT_LE(large[c], stored.oracle.bound[c]) << first;
      ASSERT_GT(large[c], kept.oracle.bound[c]) << first << ": rounding to bfloat16 would go unnoticed";
    }
  }
  const auto units = [](double number) { return std::to_string(number * 0x1p24) + " u"; };
  RecordProperty("state", std::to_string(kept.oracle.norm(0)));
  RecordProperty("drift of beta in float32", units(kept.errors()[0]));
  RecordProperty("its bound", units(kept.oracle.bound[0]));
  RecordProperty("drift of beta in bfloat16", units(stored.errors()[0]));
  RecordProperty("its bound in bfloat16", units(stored.oracle.bound[0]));
}

}  // namespace
}  // namespace plumbline
