#include "reference/model/mixture_of_experts.h"

#include "fixtures/small_float.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

const BasicEngineArithmetic<double> kExact(exact_profile(), DType::float32);
const BasicEngineArithmetic<double> kHalf(hf_cpu_profile(), DType::bfloat16);

LinearWeight single(float value) { return {std::vector<float>{value}, 1, 1}; }

/// Experts of one number each: expert e gives silu(x)·x·scale[e].
MixtureOfExpertsWeights experts_of(const std::vector<float>& scales, std::int64_t chosen, bool renormalise) {
  std::vector<GatedMlpWeights> experts;
  for (const float scale : scales) experts.push_back({single(1), single(1), single(scale)});
  return {chosen,
          renormalise,
          Activation::silu,
          {std::vector<float>(scales.size(), 0.0F), static_cast<std::int64_t>(scales.size()), 1},
          std::move(experts),
          {single(0), single(0), single(0)},
          single(0)};
}

Rows<double> row_of(const std::vector<double>& numbers) {
  Rows<double> row(1, static_cast<std::int64_t>(numbers.size()));
  row.numbers = numbers;
  return row;
}

// Few distinct logits, so that ties are common.
RC_GTEST_PROP(Router, ChoosesTheLargestAndAmongEqualsTheLowerExpert, ()) {
  const auto experts = *rc::gen::inRange<std::size_t>(1, 20);
  const auto chosen = *rc::gen::inRange<std::int64_t>(1, static_cast<std::int64_t>(experts) + 1);
  std::vector<double> logits;
  for (std::size_t e = 0; e < experts; ++e) logits.push_back(*rc::gen::element(-1.0, 0.0, -0.0, 0.5, 2.0));
  const bool renormalise = *rc::gen::arbitrary<bool>();
  const MixtureOfExpertsWeights weights = experts_of(std::vector<float>(experts, 1.0F), chosen, renormalise);
  const Routing<double> routing = route(row_of(logits), weights, kExact);
  std::vector<std::int64_t> order(experts);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const double x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
    return x > y || (x == y && a < b);
  });
  order.resize(static_cast<std::size_t>(chosen));
  RC_ASSERT(routing.experts == order);
  double total = 0, taken = 0;
  for (const double logit : logits) total += std::exp(logit);
  for (const std::int64_t e : order) taken += std::exp(logits[static_cast<std::size_t>(e)]);
  for (std::size_t slot = 0; slot < order.size(); ++slot) {
    const double expected =
        std::exp(logits[static_cast<std::size_t>(order[slot])]) / (renormalise ? taken : total);
    RC_ASSERT(std::abs(routing.weights.row(0)[slot] - expected) < 1e-14);
  }
}

TEST(Router, LargeLogitsDoNotOverflow) {
  const MixtureOfExpertsWeights weights = experts_of({1, 1, 1}, 2, true);
  const Routing<double> routing = route(row_of({1e4, 1e4, -1e4}), weights, kHalf);
  EXPECT_EQ(routing.experts, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(routing.weights.numbers, (std::vector<double>{0.5, 0.5}));
}

/// silu(x)·x in kHalf's roundings.
double inside(double x) {
  const double silu = round_to(DType::bfloat16, x / (1 + std::exp(-x)));
  return round_to(DType::bfloat16, silu * x);
}

// One large and two small terms: stored sums lose them one by one, in whatever order they come.
TEST(ExpertSums, AscendingStoredAndAtOnceAreDifferentFunctions) {
  const double unit = inside(2);
  const MixtureOfExpertsWeights weights = experts_of({0x1p-9F, 1, 0x1p-9F}, 3, false);
  const Rows<double> x = row_of({2});
  const Routing<double> routing{3, {1, 0, 2}, row_of({1, 1, 1})};
  const double small = unit / 512;  // less than half a unit in the last place, two of them more
  double stored = 0;
  for (const double term : {small, unit, small}) stored = round_to(DType::bfloat16, stored + term);
  const double at_once = round_to(DType::bfloat16, unit + 2 * small);
  EXPECT_EQ(routed_experts(x, routing, ExpertSum::ascending_stored, weights, kHalf).numbers[0], stored);
  EXPECT_EQ(routed_experts(x, routing, ExpertSum::at_once, weights, kHalf).numbers[0], at_once);
  EXPECT_NE(stored, at_once);
}

// Expert order, not slot order: the same experts in any slots give the same bits.
RC_GTEST_PROP(ExpertSums, TheOrderOfSlotsDoesNotMatterWhereExpertsAscend, ()) {
  const MixtureOfExpertsWeights weights = experts_of({0.3F, -1.7F, 0.011F, 2.3F, 0.9F}, 3, false);
  std::vector<std::int64_t> experts = {0, 1, 2, 3, 4};
  const auto seed = *rc::gen::inRange(0, 120);
  for (int i = 0; i < seed; ++i) std::next_permutation(experts.begin(), experts.end());
  experts.resize(3);
  const std::vector<double> each = {0.25, 0.3125, 0.125, 0.6875, 0.4375};
  const auto run = [&](std::vector<std::int64_t> chosen) {
    std::vector<double> weight;
    for (const std::int64_t e : chosen) weight.push_back(each[static_cast<std::size_t>(e)]);
    const Routing<double> routing{3, chosen, row_of(weight)};
    return routed_experts(row_of({1.5}), routing, ExpertSum::ascending_stored, weights, kHalf).numbers[0];
  };
  std::vector<std::int64_t> sorted = experts;
  std::sort(sorted.begin(), sorted.end());
  RC_ASSERT(run(experts) == run(sorted));
}

// CASES.md G5: the weight before or after the down projection.
TEST(ExpertSums, TheWeightMultipliesBeforeOrAfterTheDownProjection) {
  RoundingProfile before = hf_cpu_profile();
  before.weight_before_down = true;
  const BasicEngineArithmetic<double> other(before, DType::bfloat16);
  const auto bf16 = [](double x) { return round_to(DType::bfloat16, x); };
  int differing = 0;
  for (int i = 1; i < 60; ++i) {
    const double x = bf16(0.11 * i), weight = bf16(1.0 / (i + 2)), down = bf16(0.77 + 0.013 * i);
    const MixtureOfExpertsWeights weights = experts_of({static_cast<float>(down)}, 1, false);
    const Routing<double> routing{1, {0}, row_of({weight})};
    const double after = bf16(bf16(inside(x) * down) * weight), early = bf16(bf16(inside(x) * weight) * down);
    EXPECT_EQ(routed_experts(row_of({x}), routing, ExpertSum::at_once, weights, kHalf).numbers[0], after);
    EXPECT_EQ(routed_experts(row_of({x}), routing, ExpertSum::at_once, weights, other).numbers[0], early);
    differing += after != early ? 1 : 0;
  }
  EXPECT_GT(differing, 5);
}

TEST(SharedExpert, ItsGateIsASigmoid) {
  MixtureOfExpertsWeights weights = experts_of({1}, 1, false);
  weights.shared_gate = single(1);
  const Rows<double> out =
      add_shared_expert(row_of({std::log(3.0)}), row_of({5}), row_of({8}), weights, kExact);
  EXPECT_NEAR(out.numbers[0], 5 + 0.75 * 8, 1e-6);  // the weight's product is exact, log 3 is not
}

TEST(MixtureOfExperts, NoRowsGiveNoRows) {
  EXPECT_EQ(
      mixture_of_experts(Rows<double>(0, 1), ExpertSum::at_once, experts_of({1, 2}, 1, true), kHalf).rows, 0);
}

}  // namespace
}  // namespace plumbline
