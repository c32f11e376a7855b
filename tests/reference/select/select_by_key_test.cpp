#include "reference/select/select_by_key.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

/// ROUTES.md §3.3 in words instead of bits: numbers by value, every negative NaN below -infinity, every
/// positive NaN above +infinity, NaN of one sign by payload (a larger negative payload ranks lower).
bool ranks_above(float a, float b) {
  const auto group = [](float score) { return !std::isnan(score) ? 0 : std::signbit(score) ? -1 : 1; };
  if (group(a) != group(b)) return group(a) > group(b);
  if (group(a) == 0) return a > b;
  const auto payload = [](float score) { return std::bit_cast<std::uint32_t>(score) & 0x7FFFFFu; };
  return group(a) > 0 ? payload(a) > payload(b) : payload(a) < payload(b);
}

std::vector<std::int32_t> by_stable_sort(std::vector<float> scores, std::int64_t visible, std::int32_t k) {
  scores.resize(static_cast<std::size_t>(
      std::clamp<std::int64_t>(visible, 0, static_cast<std::int64_t>(scores.size()))));
  std::vector<std::int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&scores](std::int32_t a, std::int32_t b) {
    return ranks_above(scores[static_cast<std::size_t>(a)], scores[static_cast<std::size_t>(b)]);
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(k)));
  std::sort(order.begin(), order.end());
  return order;
}

/// Scores that collide often: both zeros, both infinities, NaN of both signs with two payloads, a few
/// numbers.
std::vector<float> draw_scores() {
  static const std::vector<std::uint32_t> special = {
      0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001,
      0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x00000001, 0x80000001, 0x3F800001};
  const auto bits = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::oneOf(
      rc::gen::elementOf(special), rc::gen::resize(1000, rc::gen::arbitrary<std::uint32_t>())));
  std::vector<float> scores;
  for (const std::uint32_t pattern : bits) scores.push_back(std::bit_cast<float>(pattern));
  return scores;
}

RC_GTEST_PROP(SelectByKey, RanksEveryBitPatternAsTheContractSays, ()) {
  const std::vector<float> scores = draw_scores();
  const std::int64_t visible = *rc::gen::inRange(-2, static_cast<int>(scores.size()) + 3);
  const std::int32_t k = *rc::gen::inRange(0, 12);
  RC_ASSERT(select_by_key(scores, visible, k) == by_stable_sort(scores, visible, k));
}

RC_GTEST_PROP(SelectByKey, IgnoresWhatLiesBeyondTheVisibleCount, ()) {
  std::vector<float> scores = draw_scores();
  const auto visible = static_cast<std::int64_t>(scores.size());
  const std::vector<std::int32_t> chosen = select_by_key(scores, visible, 5);
  for (const float garbage : draw_scores()) scores.push_back(garbage);
  RC_ASSERT(select_by_key(scores, visible, 5) == chosen);
}

RC_GTEST_PROP(SelectByKey, APermutationMovesTheWinnersExceptWithinTheTieClass, ()) {
  const std::vector<float> scores = draw_scores();
  const auto count = static_cast<std::int64_t>(scores.size());
  std::vector<std::size_t> moved(scores.size());
  std::iota(moved.begin(), moved.end(), 0u);
  const auto priority = *rc::gen::container<std::vector<int>>(scores.size(), rc::gen::arbitrary<int>());
  std::stable_sort(moved.begin(), moved.end(),
                   [&](std::size_t a, std::size_t b) { return priority[a] < priority[b]; });
  std::vector<float> permuted(scores.size());
  for (std::size_t i = 0; i < moved.size(); ++i) permuted[i] = scores[moved[i]];
  const auto keys_of = [](const std::vector<float>& from, const std::vector<std::int32_t>& blocks) {
    std::vector<float> keys;
    for (const std::int32_t block : blocks) keys.push_back(from[static_cast<std::size_t>(block)]);
    std::sort(keys.begin(), keys.end(), ranks_above);
    return keys;
  };
  const auto before = keys_of(scores, select_by_key(scores, count, 5));
  const auto after = keys_of(permuted, select_by_key(permuted, count, 5));
  RC_ASSERT(std::equal(before.begin(), before.end(), after.begin(), after.end(),
                       [](float a, float b) { return !ranks_above(a, b) && !ranks_above(b, a); }));
}

TEST(SelectByKey, TakesTheLowerBlockOfEqualScores) {
  EXPECT_EQ(select_by_key(std::vector<float>{1, 2, -0.0f, 0.0f, 2, 2}, 6, 2),
            (std::vector<std::int32_t>{1, 4}));
  EXPECT_EQ(select_by_key(std::vector<float>{-0.0f, 0.0f, -0.0f}, 3, 2), (std::vector<std::int32_t>{0, 1}));
}

TEST(SelectByKey, SelectsEverythingUpToK) {
  const std::vector<float> scores{std::nanf(""), -1, 3};
  EXPECT_EQ(select_by_key(scores, 3, 3), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(select_by_key(scores, 2, 512), (std::vector<std::int32_t>{0, 1}));
  EXPECT_TRUE(select_by_key(scores, -7, 512).empty());
}

}  // namespace
}  // namespace plumbline
