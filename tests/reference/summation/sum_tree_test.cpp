#include "reference/summation/sum_tree.h"

#include "reference/summation/sum_order.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Kind = SumOrder::Kind;

TEST(SumTree, WritesEachOrderInItsOwnWay) {
  EXPECT_EQ(tree_of({Kind::sequential}, 1).text(), "0");
  EXPECT_EQ(tree_of({Kind::sequential}, 2).text(), "0 + 1");
  EXPECT_EQ(tree_of({Kind::sequential}, 128).text(), "0..127");
  EXPECT_EQ(tree_of({Kind::pairwise}, 5).text(), "0..2 + (3 + 4)");
  EXPECT_EQ(tree_of({Kind::lanes, 4}, 8).text(), "0 + 4 + (2 + 6) + (1 + 5 + (3 + 7))");
  EXPECT_EQ(tree_of({Kind::strided, 2}, 5).text(), "0 + 2 + 4 + (1 + 3)");
  EXPECT_EQ(tree_of({Kind::blocks, 4}, 12).text(), "0..3 + (4..7) + (8..11)");
  EXPECT_EQ(tree_of({Kind::fused, 4}, 10).text(), "{{{0..3} 4..7} 8 9}");
}

TEST(SumTree, TellsAFusedPairOfStepsFromAPlainSum) {
  // Four terms at once, then two of them: with two left over the step adds three numbers at once.
  EXPECT_EQ(tree_of({Kind::fused, 4}, 5).text(), "{0..3} + 4");
  EXPECT_NE(tree_of({Kind::fused, 4}, 4), tree_of({Kind::sequential}, 4));
}

TEST(SumTree, WritesTheSameOrderTheSameWayHoweverItWasBuilt) {
  SumTree tree;
  const std::int32_t two = tree.add_leaf(2), one = tree.add_leaf(1), zero = tree.add_leaf(0);
  tree.add_node(two, tree.add_node(one, zero));
  EXPECT_EQ(tree, tree_of({Kind::sequential}, 3));
  EXPECT_EQ(tree.fingerprint(), tree_of({Kind::sequential}, 3).fingerprint());
  EXPECT_FALSE(tree == tree_of({Kind::pairwise}, 4));
}

TEST(SumTree, HasAFingerprintThatNeverChanges) {
  // First 16 digits of SHA-256 of "0..127".
  EXPECT_EQ(tree_of({Kind::sequential}, 128).fingerprint(), "b7f4fb57f1e3bd95");
}

TEST(SumTree, ARingThatStartsElsewhereIsAnotherOrder) {
  EXPECT_EQ(ring_tree(4, 2).text(), "0 + (2 + 3) + 1");
  EXPECT_EQ(ring_tree(4, 4).text(), "0..3");
}

TEST(SumTree, CountsRoundingsAndTheWidestStep) {
  EXPECT_EQ(tree_of({Kind::sequential}, 9).depth(), 8);
  EXPECT_EQ(tree_of({Kind::pairwise}, 9).depth(), 4);
  EXPECT_EQ(tree_of({Kind::fused, 8}, 16).widest(), 9);
  EXPECT_EQ(tree_of({Kind::fused, 8}, 16).depth(), 2);
  EXPECT_EQ(SumTree().depth(), 0);
}

TEST(SumTree, RefusesANodeOfOneChildOrOfAChildNotThere) {
  SumTree tree;
  const std::int32_t leaf = tree.add_leaf(0);
  EXPECT_THROW(tree.add_node(std::vector{leaf}), std::invalid_argument);
  EXPECT_THROW(tree.add_node(leaf, 7), std::invalid_argument);
}

TEST(SumTree, WritesAChainAsDeepAsItIsLong) {
  SumTree tree = ring_tree(100000, 1);
  EXPECT_EQ(tree.depth(), 99999);
  EXPECT_EQ(tree.text(), "0 + (1..99999)");
}

}  // namespace
}  // namespace plumbline
