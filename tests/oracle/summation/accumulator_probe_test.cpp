#include "oracle/summation/accumulator_probe.h"

#include "fixtures/error.h"
#include "oracle/summation/cpu_boxes.h"
#include "oracle/summation/probe_report.h"
#include "oracle/summation/reveal_tree.h"

#include <cmath>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Terms = std::span<const float>;

AccumulatorFacts facts_of(SumBox& box) { return probe_accumulator(box, reveal_tree(box).tree); }

TEST(AccumulatorProbe, KnowsFloat32FromDouble) {
  const auto single = cpu_box("cpu:sequential", 8), wide = cpu_box("reference:linear", 8);
  EXPECT_EQ(facts_of(*single).result_bits, 23);
  EXPECT_EQ(facts_of(*single).result_cut, CutKind::nearest_even);
  EXPECT_EQ(facts_of(*wide).result_bits, 52);
  EXPECT_EQ(facts_of(*wide).result_cut, CutKind::nearest_even);
}

/// Adds one after another, each sum rounded to 12 bits in a way.
std::unique_ptr<SumBox> rounding(double (*round)(double)) {
  return function_box("rounding", 8, [round](Terms terms) {
    double sum = 0;
    for (const float term : terms) {
      sum += term;
      if (sum == 0) continue;
      const int unit = std::ilogb(sum) - 12;
      sum = std::ldexp(round(std::ldexp(sum, -unit)), unit);
    }
    return sum;
  });
}

TEST(AccumulatorProbe, TellsRoundingFromTruncation) {
  EXPECT_EQ(facts_of(*rounding([](double x) { return std::trunc(x); })).result_cut, CutKind::toward_zero);
  EXPECT_EQ(facts_of(*rounding([](double x) { return std::round(x); })).result_cut, CutKind::nearest_away);
  EXPECT_EQ(facts_of(*rounding([](double x) { return std::nearbyint(x); })).result_cut,
            CutKind::nearest_even);
  EXPECT_EQ(facts_of(*rounding([](double x) { return std::floor(x); })).result_cut, CutKind::other);
  EXPECT_EQ(facts_of(*rounding([](double x) { return std::trunc(x); })).result_bits, 12);
}

struct Published {
  const char* capability;
  int terms, bits;
};

TEST(AccumulatorProbe, FindsTheParametersOfEveryTensorCoreAgain) {
  for (const Published& core : {Published{"7.0", 5, 23}, {"7.5", 9, 24}, {"8.9", 9, 24}, {"9.0", 17, 25}}) {
    const auto box = tensor_core_box(core.capability, DType::float16, 64);
    const AccumulatorFacts facts = facts_of(*box);
    EXPECT_EQ(facts.fused_terms, core.terms) << core.capability;
    EXPECT_EQ(facts.aligned_bits, core.bits) << core.capability;
    EXPECT_EQ(facts.aligned_cut, CutKind::toward_zero) << core.capability;
    EXPECT_EQ(facts.result_bits, 23) << core.capability;
    EXPECT_EQ(facts.result_cut, CutKind::toward_zero) << core.capability;
  }
}

TEST(Probe, ForetellsEveryBoxThatGivesItsBits) {
  for (const std::string& name : cpu_box_names()) {
    const ProbeReport report = probe(*cpu_box(name, 96));
    ASSERT_TRUE(report.tree.has_value()) << name << ": " << report.why_no_tree;
    EXPECT_EQ(report.foretold, report.compared) << name;
    const bool known = !name.starts_with("attention") && !name.starts_with("reference");
    EXPECT_EQ(report.compared, known ? 256 : 0) << name;
  }
}

TEST(Probe, AWrongTreeForetellsOtherBits) {
  const auto box = cpu_box("cpu:sequential", 64);
  AccumulatorFacts facts = facts_of(*box);
  std::vector<float> terms(64);
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i] = std::ldexp(1.0f + static_cast<float>(i) / 64, static_cast<int>(i * 7 % 37));
  const auto sum = static_cast<float>(box->sums(terms)[0]);
  EXPECT_EQ(foretold_sum(tree_of({}, 64), facts, terms), sum);
  EXPECT_NE(foretold_sum(tree_of({SumOrder::Kind::pairwise}, 64), facts, terms), sum);
}

TEST(CpuBoxes, RefuseWhatTheyDoNotKnowInOneLine) {
  for (const char* name : {"", "cpu:", "cpu-split:splits=0", "cpu-split:splits=2,by=x", "cpu-split:local",
                           "attention:by=sum", "tensor_core:6.0", "tensor_core:7.0:bfloat16",
                           "tensor_core:9.0:int8", "cpu-split:partition=odd", "cpu-split:merge=lanes:3"})
    EXPECT_THROW((void)cpu_box(name, 8), InputError) << name;
}

}  // namespace
}  // namespace plumbline
