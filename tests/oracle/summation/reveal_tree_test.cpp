#include "oracle/summation/reveal_tree.h"

#include "fixtures/cases/random.h"
#include "oracle/summation/cpu_boxes.h"
#include "oracle/summation/probe_report.h"
#include "reference/summation/sum_order.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using Kind = SumOrder::Kind;
using Terms = std::span<const float>;

// Loops as kernels write them, sharing nothing with SumTree.
double from_the_back(Terms terms) {
  float sum = 0;
  for (std::size_t i = terms.size(); i-- > 0;) sum += terms[i];
  return sum;
}
double in_blocks(Terms terms, std::size_t width) {
  float sum = 0;
  for (std::size_t first = 0; first < terms.size(); first += width) {
    float block = 0;
    for (std::size_t i = first; i < std::min(terms.size(), first + width); ++i) block += terms[i];
    sum += block;
  }
  return sum;
}
double strided(Terms terms, std::size_t ways) {
  float sum = 0;
  for (std::size_t way = 0; way < ways; ++way) {
    float part = 0;
    for (std::size_t i = way; i < terms.size(); i += ways) part += terms[i];
    sum += part;
  }
  return sum;
}
double halving(Terms terms) {
  return terms.size() == 1 ? terms[0]
                           : static_cast<float>(halving(terms.first((terms.size() + 1) / 2))) +
                                 static_cast<float>(halving(terms.subspan((terms.size() + 1) / 2)));
}

SumTree revealed(std::int64_t terms, std::function<double(Terms)> sum) {
  const auto box = function_box("loop", terms, std::move(sum));
  return reveal_tree(*box).tree;
}

class KnownLoops : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(KnownLoops, AreRecoveredExactly) {
  const std::int64_t n = GetParam();
  EXPECT_EQ(revealed(n, [](Terms t) { return in_blocks(t, 1); }), tree_of({Kind::sequential}, n));
  EXPECT_EQ(revealed(n, halving), tree_of({Kind::pairwise}, n));
  for (const std::int32_t width : {8, 16}) {
    const auto w = static_cast<std::size_t>(width);
    EXPECT_EQ(revealed(n, [w](Terms t) { return in_blocks(t, w); }), tree_of({Kind::blocks, width}, n));
  }
  for (const std::int32_t ways : {2, 3, 4, 32})
    EXPECT_EQ(revealed(n, [ways](Terms t) { return strided(t, static_cast<std::size_t>(ways)); }),
              tree_of({Kind::strided, ways}, n));
}

INSTANTIATE_TEST_SUITE_P(Of, KnownLoops, ::testing::Values(1, 2, 3, 31, 128));

TEST(RevealTree, TellsTheFrontFromTheBack) {
  const SumTree back = revealed(4, from_the_back);
  EXPECT_EQ(back.text(), "0 + (1 + (2 + 3))");
}

TEST(RevealTree, RecoversStepsThatAddManyTermsAtOnce) {
  for (const char* capability : {"7.0", "7.5", "8.0", "9.0"}) {
    const auto box = tensor_core_box(capability, DType::float16, 128);
    const std::int32_t width = std::string(capability) == "7.0"   ? 4
                               : std::string(capability) == "9.0" ? 16
                                                                  : 8;
    EXPECT_EQ(reveal_tree(*box).tree, tree_of({Kind::fused, width}, 128)) << capability;
  }
}

/// Any tree, with steps of up to five children.
SumTree any_tree(Random& random, std::int64_t terms) {
  SumTree tree;
  std::vector<std::int32_t> open;
  for (std::int32_t term = 0; term < terms; ++term) open.push_back(tree.add_leaf(term));
  while (open.size() > 1) {
    const std::size_t count = std::min<std::size_t>(open.size(), 2 + random.below(4) * random.below(2));
    std::vector<std::int32_t> children;
    for (std::size_t i = 0; i < count; ++i) {
      const auto which = static_cast<std::ptrdiff_t>(random.below(open.size()));
      children.push_back(open[static_cast<std::size_t>(which)]);
      open.erase(open.begin() + which);
    }
    open.push_back(tree.add_node(children));
  }
  return tree;
}

/// Steps that cut every term to 30 bits below the largest, as tensor cores do; two terms round to nearest.
float cut_sum(const SumTree& tree, Terms terms) {
  AccumulatorFacts facts;
  facts.fused_terms = 3;
  facts.result_bits = 23;
  facts.result_cut = facts.aligned_cut = CutKind::toward_zero;
  facts.aligned_bits = 25;
  facts.most_bits = 60;
  return *foretold_sum(tree, facts, terms);
}

RC_GTEST_PROP(RevealTree, RecoversEveryTree, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto terms = static_cast<std::int64_t>(1 + random.below(40));
  const SumTree tree = any_tree(random, terms);
  RC_LOG() << tree.text() << "\n";
  RC_ASSERT(revealed(terms, [&](Terms t) { return cut_sum(tree, t); }) == tree);
}

RC_GTEST_PROP(RevealTree, RecoversASplitPlanThroughItsEmptySplits, ()) {
  const int terms = *rc::gen::inRange(1, 40), splits = *rc::gen::inRange(1, 9);
  const SplitPlan plan = {
      *rc::gen::arbitrary<bool>() ? strided_partition(terms, splits) : contiguous_partition(terms, splits),
      {Kind::lanes, 4},
      tree_of({Kind::pairwise}, splits),
      DType::float32};
  const auto box = plan_box("plan", plan);
  RC_ASSERT(reveal_tree(*box).tree == whole_tree(plan));
}

TEST(RevealTree, SeesTheMergeOfAnAttention) {
  const SplitPlan plan = {contiguous_partition(24, 4), {}, tree_of({Kind::pairwise}, 4), DType::float32};
  for (const AttentionMerge merge : {AttentionMerge::log_sum_exp, AttentionMerge::running_maximum}) {
    const auto box = attention_box("attention", {plan, {}, merge, DType::float32});
    EXPECT_EQ(reveal_tree(*box).tree, whole_tree(plan));
  }
}

TEST(RevealTree, FindsNoTreeInAnExactSum) {
  EXPECT_THROW((void)revealed(8,
                              [](Terms terms) {
                                return fused_sum(terms);  // nothing is lost
                              }),
               NoSumTree);
}

double largest_first(Terms terms) {
  std::vector<float> sorted(terms.begin(), terms.end());
  std::ranges::sort(sorted, [](float a, float b) { return std::abs(a) > std::abs(b); });
  return in_blocks(sorted, 1);
}

TEST(RevealTree, FindsNoTreeWhereTheOrderDependsOnTheTerms) {
  EXPECT_THROW((void)revealed(8, largest_first), NoSumTree);
}

/// The masks come last, so the units are lost as in one fused step; other numbers tell.
TEST(Probe, SaysThatItForetellsNothingOfASumThatOnlyLooksFused) {
  const auto box = function_box("smallest first", 8, [](Terms terms) {
    std::vector<float> sorted(terms.begin(), terms.end());
    std::ranges::sort(sorted);
    return in_blocks(sorted, 1);
  });
  const ProbeReport report = probe(*box);
  ASSERT_TRUE(report.tree.has_value());
  EXPECT_EQ(*report.tree, tree_of({Kind::fused, 8}, 8));
  EXPECT_EQ(report.foretold, 0);
  EXPECT_NE(probe_text(report).find("foretells    nothing"), std::string::npos) << probe_text(report);
}

}  // namespace
}  // namespace plumbline
