#include "oracle/replay/router_choice.h"

#include "reference/model/rounding_profile.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

const std::vector<Bounded> kProbabilities = {{0.2, 0.01}, {0.4, 0.01}, {0.25, 0}, {0.1, 0}, {0.2, 0}};

bool allowed(const std::vector<std::int64_t>& experts) { return may_choose(kProbabilities, experts); }

TEST(MayChoose, TheLargestInTheirOrder) {
  EXPECT_TRUE(allowed({1, 2, 4}));
  EXPECT_FALSE(allowed({2, 1, 4}));
  EXPECT_FALSE(allowed({1, 2, 3}));
  EXPECT_FALSE(allowed({1, 4}));
}

TEST(MayChoose, EitherOfTwoWithinTheirErrors) {
  EXPECT_TRUE(allowed({1, 2, 0}));
  EXPECT_TRUE(allowed({1, 2, 0, 4}));
  EXPECT_TRUE(allowed({1, 2, 4, 0}));
}

TEST(MayChoose, NoExpertTwiceAndNoneThatIsNotThere) {
  EXPECT_FALSE(allowed({1, 2, 2}));
  EXPECT_FALSE(allowed({1, 5}));
  EXPECT_FALSE(allowed({-1}));
}

class FollowedChoice : public testing::Test {
 protected:
  std::vector<double> of(const std::vector<double>& logits, const std::vector<std::int64_t>& recorded) {
    const LinearWeight none({}, 0, 0);
    const MixtureOfExpertsWeights weights{std::ssize(recorded), true, Activation::silu, none, {},
                                          {none, none, none},   none};
    Rows<Bounded> rows(1, static_cast<std::int64_t>(logits.size()));
    for (std::size_t i = 0; i < logits.size(); ++i) rows.numbers[i] = {logits[i], 0};
    std::vector<double> choice;
    for (const Bounded& expert :
         followed_choice(rows, recorded, weights, EngineArithmetic(hf_cpu_profile(), DType::float32)).numbers)
      choice.push_back(expert.value);
    return choice;
  }
};

TEST_F(FollowedChoice, IsTheEnginesAmongEqualLogits) {
  EXPECT_EQ(of({1, 3, 2, 3}, {3, 1}), (std::vector<double>{3, 1}));
  EXPECT_EQ(of({2, 3, 2, 2}, {1, 3}), (std::vector<double>{1, 3}));
}

TEST_F(FollowedChoice, IsOursWithTheLowerExpertFirstWhereTheEnginesIsWrong) {
  EXPECT_EQ(of({1, 3, 2, 3}, {1, 2}), (std::vector<double>{1, 3}));
  EXPECT_EQ(of({1, 2.9999, 2, 3}, {1, 3}), (std::vector<double>{3, 1}));
}

}  // namespace
}  // namespace plumbline
