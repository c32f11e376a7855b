#include "reference/summation/split_plan.h"

#include "fixtures/error.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using Kind = SumOrder::Kind;

SplitPlan plan_of(Partition splits, SumOrder local = {}, SumOrder merge = {}) {
  const auto count = std::ssize(splits);
  return {std::move(splits), local, tree_of(merge, count), DType::float32};
}

TEST(SplitPlan, CutsContiguousSplitsWhereTheKernelsDo) {
  EXPECT_EQ(contiguous_partition(5, 2), (Partition{{0, 1}, {2, 3, 4}}));
  EXPECT_EQ(contiguous_partition(2, 4), (Partition{{}, {0}, {}, {1}}));
  EXPECT_EQ(strided_partition(5, 2), (Partition{{0, 2, 4}, {1, 3}}));
}

TEST(SplitPlan, RefusesATermThatIsNotThereOrThereTwice) {
  EXPECT_NO_THROW(check_plan(plan_of({{0, 1}, {2}})));
  EXPECT_THROW(check_plan(plan_of({{0, 1}, {1}})), InputError);
  EXPECT_THROW(check_plan(plan_of({{0}, {2}})), InputError);
  EXPECT_THROW(check_plan(plan_of({{-1}})), InputError);
}

TEST(SplitPlan, RefusesAMergeThatLeavesASplitOutOrAddsItTwice) {
  SplitPlan plan = plan_of({{0}, {1}, {2}});
  plan.merge = tree_of({}, 2);
  EXPECT_THROW(check_plan(plan), InputError);
  plan.merge = tree_of({}, 4);
  EXPECT_THROW(check_plan(plan), InputError);
  plan.merge = SumTree();
  const std::int32_t leaf = plan.merge.add_leaf(0);
  plan.merge.add_node(leaf, plan.merge.add_leaf(0));
  plan.splits = {{0}, {1}};
  EXPECT_THROW(check_plan(plan), InputError);
}

TEST(SplitPlan, RefusesPartialsOfNoPartialType) {
  SplitPlan plan = plan_of({{0}});
  plan.partial = DType::float8_e4m3fn;
  EXPECT_THROW(check_plan(plan), InputError);
}

TEST(SplitPlan, KnowsTheOrderOfAllItsAdditions) {
  EXPECT_EQ(whole_tree(plan_of(contiguous_partition(8, 2))).text(), "0..3 + (4..7)");
  EXPECT_EQ(whole_tree(plan_of(strided_partition(6, 3), {Kind::sequential}, {Kind::pairwise})).text(),
            "0 + 3 + (1 + 4) + (2 + 5)");
  EXPECT_EQ(whole_tree(plan_of({{}, {1, 0}, {}})).text(), "0 + 1");
}

RC_GTEST_PROP(SplitPlan, GivesTheBitsOfItsWholeTree, ()) {
  const int count = *rc::gen::inRange(1, 40), splits = *rc::gen::inRange(1, 9);
  const auto order = [] { return SumOrder{Kind::blocks, *rc::gen::inRange(1, 6)}; };
  const SplitPlan plan = plan_of(
      *rc::gen::arbitrary<bool>() ? contiguous_partition(count, splits) : strided_partition(count, splits),
      order(), order());
  std::vector<float> terms;
  for (int i = 0; i < count; ++i)
    terms.push_back(std::ldexp(static_cast<float>(*rc::gen::inRange(-999, 999)), *rc::gen::inRange(-20, 20)));
  RC_ASSERT(SplitSum(plan).operator()<float>(terms) == sum_in_order<float>(whole_tree(plan), terms));
}

TEST(SplitPlan, StoresItsPartialsInTheirType) {
  SplitPlan plan = plan_of({{0, 1}, {2}});
  const std::vector<float> terms = {256, 1, 1};
  EXPECT_EQ(SplitSum(plan).operator()<float>(terms), 258);
  plan.partial = DType::bfloat16;  // 257 is a tie of 256 and 258, and goes to the even one
  EXPECT_EQ(SplitSum(plan).operator()<float>(terms), 257);
  const Bounded bounded = SplitSum(plan).operator()<Bounded>(std::vector<Bounded>{{256}, {1}, {1}});
  EXPECT_EQ(bounded.value, 258);
  EXPECT_GE(bounded.error, 1);
  EXPECT_LT(bounded.error, 1.001);
}

}  // namespace
}  // namespace plumbline
