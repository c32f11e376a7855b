#include "oracle/judge/score_drift.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// A bound of 8 for every score, whose root of the dim is 4.
class Eight final : public ErrorModel {
 public:
  std::string name() const override { return "eight"; }
  std::string derivation() const override { return "8"; }
  double bound(const TensorView&, const TensorView&, double) const override { return 8; }
};

class Drift : public ::testing::Test {
 protected:
  Drift() : query_(DType::float32, {1, 1, 16}), key_(DType::float32, {3, 16}) {
    inputs_.geometry.index_heads = 1;
    inputs_.geometry.index_head_dim = 16;
    inputs_.rows = 1;
    inputs_.blocks = 3;
    inputs_.index_query = query_.view();
    inputs_.index_key = key_.view();
  }
  ScoreDrift between(const std::vector<float>& a, const std::vector<float>& b, std::int64_t visible = 3) {
    return score_drift(inputs_, 0, a, b, visible, Eight());
  }
  Tensor query_, key_;
  SelectInputs inputs_;
};

TEST_F(Drift, OfTheSameBitsIsNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const ScoreDrift same = between({1, 2, nan}, {1, 2, nan});
  EXPECT_EQ(same.changed, 0);
  EXPECT_EQ(same.beyond, 0);
}

TEST_F(Drift, MayUseTwoBoundsAndNoMore) {
  const ScoreDrift within = between({1, 2, 3}, {1, 2, 7});  // 2 · 8 / 4 apart
  EXPECT_EQ(within.changed, 1);
  EXPECT_EQ(within.beyond, 0);
  EXPECT_NEAR(within.largest_share, 1, 1e-6);
  EXPECT_EQ(between({1, 2, 3}, {1, 2, 7.001f}).beyond, 1);
}

TEST_F(Drift, LooksAtVisibleScoresAlone) { EXPECT_EQ(between({1, 2, 3}, {1, 2, 99}, 2).changed, 0); }

TEST_F(Drift, IsBeyondWhereOneScoreIsNoNumber) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const float other : {inf, -inf, nan, std::bit_cast<float>(0xFFC00001u)})
    EXPECT_EQ(between({1, 2, 3}, {1, 2, other}).beyond, 1) << other;
}

}  // namespace
}  // namespace plumbline
