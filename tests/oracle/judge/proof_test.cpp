#include "oracle/judge/proof.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using Scores = std::vector<int>;
using Row = std::vector<std::int32_t>;

/// The definition, by sorting: score descending, lower block first, ascending output.
Row canonical_row(const Scores& scores, std::int32_t k) {
  Row order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(k)));
  std::sort(order.begin(), order.end());
  return order;
}

ProofResult prove(const Row& claimed, const Scores& scores, std::int32_t k, std::int64_t* calls = nullptr) {
  return prove_canonical(
      claimed, static_cast<std::int64_t>(scores.size()), k, [&](std::int64_t a, std::int64_t b) {
        if (calls != nullptr) ++*calls;
        const int x = scores[static_cast<std::size_t>(a)], y = scores[static_cast<std::size_t>(b)];
        return x < y ? -1 : (x > y ? 1 : 0);
      });
}

/// Calls `visit` with every vector of `length` digits below `base`.
template <typename Visit>
void for_each_word(int length, int base, Visit visit) {
  std::vector<int> word(static_cast<std::size_t>(length), 0);
  while (true) {
    visit(word);
    std::size_t place = 0;
    while (place < word.size() && ++word[place] == base) word[place++] = 0;
    if (place == word.size()) return;
  }
}

TEST(Proof, AcceptsExactlyTheCanonicalRowAmongAllRowsOfSmallProblems) {
  std::int64_t tried = 0;
  for (int visible = 1; visible <= 4; ++visible) {
    for (std::int32_t k = 1; k <= 4; ++k) {
      for_each_word(visible, 3, [&](const Scores& scores) {
        const Row canonical = canonical_row(scores, k);
        for_each_word(static_cast<int>(canonical.size()), visible + 2, [&](const std::vector<int>& shifted) {
          Row claimed(shifted.begin(), shifted.end());  // -1 … visible
          for (std::int32_t& block : claimed) --block;
          ++tried;
          ASSERT_EQ(prove(claimed, scores, k).proven, claimed == canonical);
        });
      });
    }
  }
  EXPECT_GT(tried, 100000);
}

RC_GTEST_PROP(Proof, AcceptsEveryCanonicalRowAndRejectsEverySingleSlotCorruption, ()) {
  const int levels = *rc::gen::inRange(1, 6);
  const Scores scores = *rc::gen::nonEmpty(rc::gen::container<Scores>(rc::gen::inRange(0, levels)));
  const std::int32_t k = *rc::gen::inRange(1, 12);
  const Row canonical = canonical_row(scores, k);
  RC_ASSERT(prove(canonical, scores, k).proven);

  const auto visible = static_cast<std::int32_t>(scores.size());
  for (std::size_t slot = 0; slot < canonical.size(); ++slot) {
    for (std::int32_t block = -2; block <= visible; ++block) {
      if (block == canonical[slot]) continue;
      Row corrupt = canonical;
      corrupt[slot] = block;
      const ProofResult result = prove(corrupt, scores, k);
      RC_ASSERT(!result.proven);
      RC_ASSERT(!result.fault.empty());
      std::sort(corrupt.begin(), corrupt.end());
      RC_ASSERT(!prove(corrupt, scores, k).proven);
    }
  }
}

RC_GTEST_PROP(Proof, ComparesAtMostThreeTimesPerVisibleBlock, ()) {
  const Scores scores = *rc::gen::nonEmpty(rc::gen::container<Scores>(rc::gen::inRange(0, 4)));
  const std::int32_t k = *rc::gen::inRange(1, 40);
  std::int64_t calls = 0;
  RC_ASSERT(prove(canonical_row(scores, k), scores, k, &calls).proven);
  RC_ASSERT(calls <= 3 * static_cast<std::int64_t>(scores.size()));
}

TEST(Proof, NamesTheOutsiderThatBeatsTheWorstWinner) {
  EXPECT_EQ(prove({0, 2}, {5, 4, 3}, 2).fault, "block 1 was left out and beats block 2");
}

TEST(Proof, NamesTheLowerBlockOfATieThatWasLeftOut) {
  EXPECT_EQ(prove({0, 2}, {5, 3, 3}, 2).fault, "block 1 was left out and ties with the higher block 2");
}

TEST(Proof, NeverConsultsScoresWhenAllVisibleBlocksAreDue) {
  const auto unreachable = [](std::int64_t, std::int64_t) -> int {
    throw std::logic_error("score consulted");
  };
  EXPECT_TRUE(prove_canonical(Row{0, 1, 2}, 3, 3, unreachable).proven);
  EXPECT_TRUE(prove_canonical(Row{}, 0, 3, unreachable).proven);
  EXPECT_TRUE(prove_canonical(Row{}, -5, 3, unreachable).proven);
  EXPECT_FALSE(prove_canonical(Row{0, 1}, 3, 3, unreachable).proven);
  EXPECT_FALSE(prove_canonical(Row{0, 1, 2, 3}, 3, 4, unreachable).proven);
}

}  // namespace
}  // namespace plumbline
