#include "reference/summation/split_number.h"

#include "reference/numeric/transcendental.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

constexpr double kUnit = 0x1p-24;  // half a unit in the last place of [1, 2)

float any_float(int low, int high) {
  return std::ldexp(1 + static_cast<float>(*rc::gen::inRange(0, 1 << 23)) * 0x1p-23f,
                    *rc::gen::inRange(low, high)) *
         (*rc::gen::arbitrary<bool>() ? 1.0f : -1.0f);
}

/// What a chain of operations gives in one kind of number.
template <typename Number>
Number chain(float a, float b, float c) {
  const Number product = rounded_product(given<Number>(a), given<Number>(b));
  const Number sum = rounded_sum(product, given<Number>(c));
  const Number e = rounded_exponential(rounded_quotient(sum, given<Number>(64)));
  return rounded_difference(rounded_logarithm(rounded_sum(e, given<Number>(1))), product);
}

RC_GTEST_PROP(SplitNumber, ItsBoundHoldsTheBitsOfEveryOperation, ()) {
  const float a = any_float(-8, 4), b = any_float(-8, 4), c = any_float(-12, 8);
  const float bits = chain<float>(a, b, c);
  const Bounded bound = chain<Bounded>(a, b, c);
  const double product = static_cast<double>(a) * b;
  const double exact = std::log(1 + std::exp((product + c) / 64)) - product;
  RC_ASSERT(std::abs(bound.value - exact) <= bound.error);
  RC_ASSERT(std::abs(bits - exact) <= bound.error);
}

TEST(SplitNumber, CountsHalfAUnitOfEachRoundingAndNoneOfAKnownFloat) {
  EXPECT_EQ(rounded_sum(given<Bounded>(1), given<Bounded>(2)).error, 0);
  const Bounded sum = rounded_sum(given<Bounded>(1), given<Bounded>(0x1p-30f));
  EXPECT_NEAR(sum.error, kUnit, kUnit * 1e-6);
  EXPECT_EQ(sum.value, 1 + 0x1p-30);
  // From then on nothing is known to the bit.
  EXPECT_NEAR(rounded_sum(sum, given<Bounded>(1)).error, 3 * kUnit, kUnit * 1e-6);
}

TEST(SplitNumber, ItsCompanionGrowsLikeTheRootOfTheRoundings) {
  Bounded bounded = given<Bounded>(1 + 0x1p-23f);
  Likely likely = given<Likely>(1 + 0x1p-23f);
  const auto third = [](auto number) { return rounded_product(number, given<decltype(number)>(1 / 3.0f)); };
  for (int i = 0; i < 100; ++i) {
    bounded = rounded_product(third(bounded), given<Bounded>(3));
    likely = rounded_product(third(likely), given<Likely>(3));
  }
  // 200 roundings: each between a half and a whole unit roundoff.
  EXPECT_GT(bounded.error, 200 * kUnit * 0.5 * 0.9);
  EXPECT_LT(bounded.error, 200 * kUnit * 1.1);
  EXPECT_GT(likely_bound(likely), 6 * std::sqrt(200) * kUnit * 0.5 * 0.9);
  EXPECT_LT(likely_bound(likely), 6 * std::sqrt(200) * kUnit * 1.1);
}

TEST(SplitNumber, PromisesNothingWhereAPartialMayOverflow) {
  EXPECT_EQ(rounding_error(DType::float16, 65505), std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounding_error(DType::float16, 65504), 16);
  EXPECT_EQ(stored(DType::float16, given<Bounded>(1e6f)).error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounding_error(DType::float32, std::nan("")), std::numeric_limits<double>::infinity());
}

TEST(SplitNumber, AFusedSumRoundsOnceInEveryKindOfNumber) {
  const std::vector<float> terms = {0x1p24f, 1, 1, 0x1p-10f};
  EXPECT_EQ(fused_sum(std::span<const float>(terms)), 0x1p24f + 2);
  const std::vector<Bounded> bounded = {{0x1p24}, {1}, {1}, {0x1p-10}};
  EXPECT_NEAR(fused_sum(std::span<const Bounded>(bounded)).error, 1, 1e-6);
}

TEST(SplitNumber, AStoredPartialIsNeverNegativeZero) {
  EXPECT_FALSE(std::signbit(stored(DType::float16, -0x1p-40f)));
  EXPECT_EQ(stored(DType::bfloat16, 1 + 0x1p-9f), 1);
}

}  // namespace
}  // namespace plumbline
