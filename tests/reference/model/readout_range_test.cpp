#include "fixtures/small_float.h"
#include "tests/reference/model/exact_delta_net.h"
#include "tests/reference/model/stepping_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

constexpr std::int64_t kTokens = 4096, kKeys = 5, kValues = 2;
constexpr double kLargest = 29952;  // close to 3e4, and a number in each storage type
const double kAlwaysWrites = 30, kNeverForgets = -200;

struct Text {
  Rows<double> projected{kTokens, 2 * kKeys + kValues}, b{kTokens, 1}, a{kTokens, 1};
  std::vector<const UnitVector*> queries, keys;

  void add(std::int64_t t, const UnitVector& query, const UnitVector& key, double first, double second) {
    std::ranges::copy(query.numbers, projected.part(t, 0, kKeys).begin());
    std::ranges::copy(key.numbers, projected.part(t, kKeys, kKeys).begin());
    projected.part(t, 2 * kKeys, kValues)[0] = first;
    projected.part(t, 2 * kKeys, kValues)[1] = second;
    b.numbers[static_cast<std::size_t>(t)] = kAlwaysWrites;
    a.numbers[static_cast<std::size_t>(t)] = kNeverForgets;
    queries.push_back(&query);
    keys.push_back(&key);
  }
};

struct Interval {
  double low, high;
};

/// Where each readout of the recurrent form may lie before it is stored. The query is a unit vector times
/// fl(1/fl(√5)), two roundings, and their product and the dot product's result are one more each: 4·u·|q|·|S|
/// beside |q| times the state's own bound.
std::vector<Interval> readouts(const Text& text) {
  SteppingOracle oracle(kKeys, kValues);
  std::vector<Interval> all;
  for (std::int64_t t = 0; t < kTokens; ++t) {
    const auto i = static_cast<std::size_t>(t);
    std::vector<double> key;
    for (const double number : text.keys[i]->numbers) key.push_back(number / text.keys[i]->length);
    const long double beta = 1 / (1 + std::exp(-static_cast<long double>(kAlwaysWrites)));
    oracle.step(key, text.projected.part(t, 2 * kKeys, kValues), beta, 0, 0x1p-24, 1);
    const double length = 1 / std::sqrt(5.0);
    for (std::size_t c = 0; c < kValues; ++c) {
      long double sum = 0;
      for (std::size_t k = 0; k < kKeys; ++k)
        sum += text.queries[i]->numbers[k] / text.queries[i]->length * oracle.state[k * kValues + c];
      const auto middle = static_cast<double>(sum / std::sqrt(5.0L));
      const double error =
          length * (oracle.bound[c] + 4 * 0x1p-24 * (oracle.norm(c) + oracle.bound[c])) * (1 + 0x1p-10);
      all.push_back({middle - error, middle + error});
    }
  }
  return all;
}

Rows<double> run(const Text& text, DType storage, DeltaRuleForm form) {
  const GatedDeltaNetWeights weights = transparent_delta_net(1, kKeys, kValues);
  GatedDeltaNetState<double> state(weights);
  Rows<double> out =
      delta_rule_of_projection(text.projected, text.b, text.a, weights, form,
                               BasicEngineArithmetic<double>(hf_cuda_profile(), storage), state);
  for (const double number : state.heads[0].numbers) EXPECT_TRUE(std::isfinite(number));
  return out;
}

/// How many readouts are infinite; each must be where the interval says, and none elsewhere.
int infinities(const Text& text, DType storage) {
  const std::vector<Interval> expected = readouts(text);
  const Rows<double> recurrent = run(text, storage, DeltaRuleForm::recurrent);
  int count = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_GE(recurrent.numbers[i], round_to(storage, expected[i].low)) << i;
    EXPECT_LE(recurrent.numbers[i], round_to(storage, expected[i].high)) << i;
    count += std::isinf(recurrent.numbers[i]) ? 1 : 0;
  }
  for (const DeltaRuleForm form : {DeltaRuleForm::chunked, DeltaRuleForm::chunked_on_grid}) {
    const Rows<double> chunked = run(text, storage, form);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // The chunk's own roundings are not counted here: readouts within a thousandth of the end are left out.
      const double low = round_to(storage, expected[i].low * 1.001),
                   high = round_to(storage, expected[i].high * 0.999);
      if (std::isinf(low) == std::isinf(high)) {
        EXPECT_EQ(std::isinf(chunked.numbers[i]), std::isinf(low)) << i;
      }
    }
  }
  return count;
}

// CASES.md E3: the state stays small where keys are at right angles, however long the text.
TEST(ReadoutRange, LargeValuesUnderOrthogonalKeysNeverOverflow) {
  std::mt19937_64 random(3);
  std::vector<UnitVector> axes(kKeys, UnitVector{{}, 64});
  for (std::size_t i = 0; i < kKeys; ++i) axes[i].numbers[i] = 64;
  Text text;
  for (std::int64_t t = 0; t < kTokens; ++t)
    text.add(t, kUnitVectors[random() % kUnitVectors.size()], axes[random() % kKeys], kLargest,
             random() % 2 == 0 ? 0 : kLargest);
  for (const DType storage : {DType::float16, DType::bfloat16, DType::float32})
    EXPECT_EQ(infinities(text, storage), 0);
}

// Two nearly parallel keys with different values: the state that answers both holds 1e6, and a query between
// them reads more than float16 holds. It is infinite exactly there, and the text goes on.
TEST(ReadoutRange, AReadoutIsInfiniteExactlyWhereItsStorageEnds) {
  const UnitVector across = {{0, 64, 0, 0, 0}, 64};
  Text text;
  for (std::int64_t t = 0; t < kTokens; ++t)
    text.add(t, t % 3 == 0 ? across : kUnitVectors[3], kUnitVectors[static_cast<std::size_t>(t % 2)],
             t % 2 == 0 ? kLargest : 0, t % 2 == 0 ? 0 : kLargest / 16);
  const int infinite = infinities(text, DType::float16);
  EXPECT_GT(infinite, 1000);
  EXPECT_LT(infinite, kTokens);
  EXPECT_EQ(infinities(text, DType::bfloat16), 0);
  EXPECT_EQ(infinities(text, DType::float32), 0);
}

}  // namespace
}  // namespace plumbline
