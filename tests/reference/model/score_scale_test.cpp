#include "reference/model/score_scale.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(ScoreScale, DividesByTheFloat32RootOf128) {
  EXPECT_EQ(scale_constant(ScoreScale::divide_by_root, 128), 0x1.6a09e6p+3f);  // 0x413504F3
  EXPECT_EQ(scaled_score(3.0f, ScoreScale::divide_by_root, 128), 3.0f / 0x1.6a09e6p+3f);
}

TEST(ScoreScale, DividingAndMultiplyingDisagreeForSomeScores) {
  int different = 0;
  for (int i = 1; i <= 1000; ++i) {
    const auto score = static_cast<float>(i) * 0.37f;
    different += scaled_score(score, ScoreScale::divide_by_root, 128) !=
                 scaled_score(score, ScoreScale::multiply_by_inverse_root, 128);
  }
  EXPECT_GT(different, 100);
}

TEST(ScoreScale, NoneLeavesTheScore) {
  EXPECT_EQ(scaled_score(0.1f, ScoreScale::none, 128), 0.1f);
  EXPECT_EQ(scaled_score(0.1, ScoreScale::none, 48), 0.1);
}

}  // namespace
}  // namespace plumbline
