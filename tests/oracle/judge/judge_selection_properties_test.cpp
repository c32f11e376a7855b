#include "fixtures/cases/random.h"
#include "oracle/judge/judge_selection.h"
#include "tests/oracle/judge/small_problem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using testing_judge::Claim;
using testing_judge::SmallProblem;

/// A second implementation of selection and verdict, straight from the definitions: pairs are sorted, every
/// pair of a swap is compared, scores are int64.
class Definition {
 public:
  Definition(const SmallProblem& problem, std::int64_t row)
      : problem_(problem), row_(row), n_(problem.n(row)) {
    const std::int64_t k = problem.geometry.block_topk;
    const auto first = problem.claimed.begin() + row * k;
    claimed_.assign(first, first + k);
  }

  bool structural() const {
    const std::int64_t due = std::min<std::int64_t>(problem_.geometry.block_topk, n_);
    std::set<std::int32_t> seen;
    for (std::int64_t slot = 0; slot < static_cast<std::int64_t>(claimed_.size()); ++slot) {
      const std::int32_t entry = claimed_[static_cast<std::size_t>(slot)];
      if (slot >= due ? entry != -1 : entry < 0 || entry >= n_ || !seen.insert(entry).second) return true;
    }
    return false;
  }

  Verdict selector() const {
    return verdict([this](std::int64_t block) { return rank(block); },
                   [](std::int64_t, std::int64_t) { return false; });
  }

  Verdict end_to_end() const {
    const auto error = [this](std::int64_t block) {
      const long double n =
          static_cast<long double>(problem_.geometry.index_heads + problem_.geometry.index_head_dim + 2);
      return n * 0x1p-24L / (1 - n * 0x1p-24L) * static_cast<long double>(problem_.magnitude(row_, block));
    };
    return verdict([this](std::int64_t block) { return problem_.score(row_, block); },
                   [&](std::int64_t i, std::int64_t j) {
                     const auto gap = static_cast<long double>(
                         std::abs(problem_.score(row_, i) - problem_.score(row_, j)));
                     return gap <= error(i) + error(j);
                   });
  }

  std::vector<std::int32_t> canonical(bool on_recorded) const {
    std::vector<std::pair<std::int64_t, std::int32_t>> order;
    for (std::int32_t block = 0; block < n_; ++block) {
      order.emplace_back(on_recorded ? -rank(block) : -problem_.score(row_, block), block);
    }
    std::sort(order.begin(), order.end());
    order.resize(std::min(order.size(), claimed_.size()));
    std::vector<std::int32_t> blocks;
    for (const auto& [score, block] : order) blocks.push_back(block);
    std::sort(blocks.begin(), blocks.end());
    return blocks;
  }

 private:
  std::int64_t rank(std::int64_t block) const {
    const float score = problem_.recorded[static_cast<std::size_t>(row_ * problem_.blocks + block)];
    const auto bits = static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(score));
    return bits < (std::int64_t{1} << 31) ? bits : (std::int64_t{1} << 31) - bits;
  }

  template <typename Score, typename Explained>
  Verdict verdict(Score score, Explained explained) const {
    if (structural()) return Verdict::structural;
    std::vector<std::pair<std::int64_t, std::int32_t>> order;
    for (std::int32_t block = 0; block < n_; ++block) order.emplace_back(-score(block), block);
    std::sort(order.begin(), order.end());
    std::set<std::int32_t> canonical;
    for (std::size_t i = 0; i < order.size() && i < claimed_.size(); ++i) canonical.insert(order[i].second);

    const std::vector<std::int32_t> sound(claimed_.begin(),
                                          claimed_.begin() + static_cast<std::ptrdiff_t>(canonical.size()));
    const std::set<std::int32_t> claimed(sound.begin(), sound.end());
    if (claimed == canonical) {
      return std::equal(sound.begin(), sound.end(), canonical.begin()) ? Verdict::canonical
                                                                       : Verdict::order_only;
    }
    std::multiset<std::int64_t> taken, missed;
    bool all_explained = true;
    for (const std::int32_t i : claimed) {
      if (canonical.count(i) != 0) continue;
      taken.insert(score(i));
      for (const std::int32_t j : canonical) {
        if (claimed.count(j) == 0) all_explained = all_explained && explained(i, j);
      }
    }
    for (const std::int32_t j : canonical) {
      if (claimed.count(j) == 0) missed.insert(score(j));
    }
    if (taken == missed) return Verdict::tie_only;
    return all_explained ? Verdict::rounding : Verdict::value_error;
  }

  const SmallProblem& problem_;
  std::int64_t row_, n_;
  std::vector<std::int32_t> claimed_;
};

/// Choices of one problem, all from one seed that a failing property prints.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : random_(seed) {}
  /// Uniform in [low, high].
  std::int32_t between(std::int64_t low, std::int64_t high) {
    return static_cast<std::int32_t>(
        low + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low + 1))));
  }
  bool one_in(std::int64_t count) { return between(1, count) == 1; }

 private:
  Random random_;
};

float any_score(Choices& choices) {
  const float special[] = {-0.0f,
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           std::bit_cast<float>(0x7FC00001u),
                           std::bit_cast<float>(0xFFC00000u),
                           std::numeric_limits<float>::denorm_min()};
  if (choices.one_in(4)) return special[choices.between(0, 5)];
  return static_cast<float>(choices.between(-2, 3));
}

/// Small problems: a team of threads would cost more than it brings.
JudgeOptions one_thread() {
  JudgeOptions options;
  options.threads = 1;
  return options;
}

/// One of the row's claimed blocks changes places, becomes a loser, or anything.
void corrupt(std::vector<std::int32_t>& blocks, std::int64_t visible, std::int64_t all, Choices& choices) {
  std::vector<std::int32_t> losers;
  for (std::int32_t block = 0; block < visible; ++block) {
    if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) losers.push_back(block);
  }
  auto& slot =
      blocks[static_cast<std::size_t>(choices.between(0, static_cast<std::int64_t>(blocks.size()) - 1))];
  if (choices.one_in(5)) {
    std::swap(slot, blocks.front());
  } else if (choices.one_in(6) || losers.empty()) {
    slot = choices.between(-1, all);
  } else {
    slot = losers[static_cast<std::size_t>(choices.between(0, static_cast<std::int64_t>(losers.size()) - 1))];
    if (!choices.one_in(3)) std::sort(blocks.begin(), blocks.end());
  }
}

/// Small inputs give ties and wide gaps; large ones, which differ in a small last term, gaps on both sides of
/// what float32 rounding explains.
SmallProblem any_problem(std::uint64_t seed) {
  Choices choices(seed);
  SmallProblem problem;
  const bool large = choices.one_in(2);
  problem.geometry = {choices.between(1, 3), choices.between(1, 4), 4, choices.between(1, 5)};
  problem.rows = choices.between(1, 8);
  problem.blocks = choices.between(1, 12);
  const std::int64_t dim = problem.geometry.index_head_dim;
  for (std::int64_t i = 0; i < problem.rows * problem.geometry.index_heads * dim; ++i) {
    problem.query.push_back(large ? (i % dim == 0 ? 2047 : 1) : choices.between(-2, 2));
  }
  for (std::int64_t i = 0; i < problem.blocks * dim; ++i) {
    problem.key.push_back(large ? 2048 + (i % dim == 0 ? 0 : choices.between(0, 4)) : choices.between(-2, 2));
  }
  for (std::int64_t i = 0; i < problem.rows * problem.blocks; ++i)
    problem.recorded.push_back(any_score(choices));
  const auto k = static_cast<std::size_t>(problem.geometry.block_topk);
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    problem.visible.push_back(choices.between(choices.one_in(3) ? -1 : problem.blocks, problem.blocks + 1));
    problem.claimed.resize(static_cast<std::size_t>(row + 1) * k, -1);
    std::vector<std::int32_t> blocks = Definition(problem, row).canonical(choices.one_in(2));
    const int changes = blocks.empty() ? 0 : choices.between(0, 2);
    for (int change = 0; change < changes; ++change) corrupt(blocks, problem.n(row), problem.blocks, choices);
    std::copy(blocks.begin(), blocks.end(), problem.claimed.end() - static_cast<std::ptrdiff_t>(k));
  }
  return problem;
}

TEST(JudgeSelectionProperty, AgreesWithTheDefinitionOnEveryRowAndMeetsEveryVerdict) {
  VerdictCounts seen_selector, seen_end_to_end;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const SmallProblem problem = any_problem(seed);
    VerdictCounts selector, end_to_end;
    for (std::int64_t row = 0; row < problem.rows; ++row) {
      const Definition definition(problem, row);
      selector.add(definition.selector());
      end_to_end.add(definition.end_to_end());
      seen_selector.add(definition.selector());
      seen_end_to_end.add(definition.end_to_end());
    }
    const SelectionReport report = Claim(problem).judge(one_thread());
    ASSERT_TRUE(report.selector && report.end_to_end) << "seed " << seed;
    ASSERT_EQ(report.selector->rows, selector.rows) << "seed " << seed;
    ASSERT_EQ(report.end_to_end->rows, end_to_end.rows) << "seed " << seed;
  }
  for (int v = 0; v < kVerdicts; ++v) {
    const auto verdict = static_cast<Verdict>(v);
    EXPECT_GE(seen_end_to_end[verdict], 100) << name_of(verdict);
    if (verdict == Verdict::rounding) continue;
    EXPECT_GE(seen_selector[verdict], 100) << name_of(verdict);
  }
  EXPECT_EQ(seen_selector[Verdict::rounding], 0);
}

RC_GTEST_PROP(JudgeSelectionProperty, EveryWitnessShowsWhatItsVerdictClaims, ()) {
  const SmallProblem problem = any_problem(*rc::gen::arbitrary<std::uint64_t>());
  const SelectionReport report = Claim(problem).judge(one_thread());
  for (const Witness& witness : report.witnesses) {
    if (witness.verdict == Verdict::structural) {
      RC_ASSERT(!witness.what.empty());
      continue;
    }
    const Definition definition(problem, witness.row);
    const bool selector = witness.judgement == "selector";
    const std::vector<std::int32_t> canonical = definition.canonical(selector);
    RC_ASSERT(std::find(canonical.begin(), canonical.end(), witness.missed_block) != canonical.end());
    RC_ASSERT(std::find(canonical.begin(), canonical.end(), witness.claimed_block) == canonical.end());
    if (selector) continue;
    const std::int64_t gap =
        problem.score(witness.row, witness.missed_block) - problem.score(witness.row, witness.claimed_block);
    RC_ASSERT(witness.gap_value == static_cast<double>(gap));
    if (witness.verdict == Verdict::tie_only) {
      RC_ASSERT(gap == 0);
    }
    if (witness.verdict == Verdict::rounding) {
      RC_ASSERT(witness.gap_value <= witness.allowed);
    }
    if (witness.verdict == Verdict::value_error) {
      RC_ASSERT(witness.gap_value > witness.allowed);
    }
  }
}

}  // namespace
}  // namespace plumbline
