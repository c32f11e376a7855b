#include "oracle/judge/score_kind.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

ScoreKind kind_of(const std::vector<std::vector<float>>& heads, const std::vector<float>& key) {
  const auto dim = static_cast<std::int64_t>(key.size());
  Tensor query(DType::float32, {static_cast<std::int64_t>(heads.size()), dim});
  std::size_t at = 0;
  for (const std::vector<float>& head : heads) {
    for (const float value : head) query.as<float>()[at++] = value;
  }
  Tensor row(DType::float32, {dim});
  std::copy(key.begin(), key.end(), row.as<float>().begin());
  return score_kind(query.view(), row.view());
}

TEST(ScoreKind, IsNotANumberForEveryNaNOfAQueryOrKey) {
  EXPECT_EQ(kind_of({{1, 2}, {0, 0}}, {kNaN, 1}), ScoreKind::not_a_number);
  EXPECT_EQ(kind_of({{1, 2}, {0, kNaN}}, {1, 1}), ScoreKind::not_a_number);
  EXPECT_EQ(kind_of({{-1, -kNaN}}, {1, 0}), ScoreKind::not_a_number);
}

TEST(ScoreKind, IsNotANumberWhereInfinitiesCancelOrMeetZero) {
  EXPECT_EQ(kind_of({{1, 1}}, {kInfinity, -kInfinity}), ScoreKind::not_a_number);
  EXPECT_EQ(kind_of({{0, 1}}, {kInfinity, 1}), ScoreKind::not_a_number);
}

TEST(ScoreKind, TakesANegativeInfinityForZeroBehindTheReLU) {
  EXPECT_EQ(kind_of({{-1, 1}}, {kInfinity, 1}), ScoreKind::finite);
  EXPECT_EQ(kind_of({{-1, 1}, {1, 1}}, {kInfinity, 1}), ScoreKind::infinite);
}

TEST(ScoreKind, IsUndeterminedWhereFiniteProductsMayOverflow) {
  EXPECT_EQ(kind_of({{0x1p100F, 1}}, {0x1p27F, 1}), ScoreKind::undetermined);
  EXPECT_EQ(kind_of({{0x1p100F, 1}}, {0x1p26F, 1}), ScoreKind::finite);
  EXPECT_EQ(kind_of({{0x1p100F, 1}, {0, 0}}, {0x1p26F, 1}),
            ScoreKind::undetermined);  // two heads share the room
  EXPECT_EQ(kind_of({{-0x1p100F, 1}}, {0x1p27F, kInfinity}), ScoreKind::undetermined);
  EXPECT_EQ(kind_of({{0x1p100F, 1}, {0, kNaN}}, {0x1p27F, 1}), ScoreKind::not_a_number);
}

TEST(ScoreKind, MatchesOnlyScoresOfItsKind) {
  EXPECT_TRUE(is_of_kind(0, ScoreKind::finite));
  EXPECT_FALSE(is_of_kind(kNaN, ScoreKind::finite));
  EXPECT_FALSE(is_of_kind(kInfinity, ScoreKind::finite));
  EXPECT_TRUE(is_of_kind(kInfinity, ScoreKind::infinite));
  EXPECT_FALSE(is_of_kind(-kInfinity, ScoreKind::infinite));
  EXPECT_FALSE(is_of_kind(0, ScoreKind::infinite));
  EXPECT_TRUE(is_of_kind(-kNaN, ScoreKind::not_a_number));
  EXPECT_FALSE(is_of_kind(kInfinity, ScoreKind::not_a_number));
  EXPECT_TRUE(is_of_kind(kNaN, ScoreKind::undetermined));
}

}  // namespace
}  // namespace plumbline
