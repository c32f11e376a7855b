#include "reference/numeric/exact_score.h"

#include "reference/numeric/wide_sum.h"
#include "tests/reference/numeric/float_codes.h"
#include "tests/reference/numeric/rational.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using testing::Rational;

double any_float() { return testing::decode_code(DType::float32, *testing::finite_code(DType::float32)); }

/// A sum of products, in both arithmetics. Few terms of drawn exponents leave long runs of zeros and ones;
/// about half the terms are undone again, so borrows run through the limbs.
struct Both {
  ExactScore score;
  Rational rational;
  void add(double a, double b) {
    score.add_product(a, b);
    rational = rational + Rational(a) * Rational(b);
  }
};
Both draw_both() {
  Both both;
  const int terms = *rc::gen::inRange(0, 8);
  for (int term = 0; term < terms; ++term) {
    const double a = any_float(), b = any_float();
    both.add(a, b);
    if (*rc::gen::inRange(0, 3) == 0) both.add(-a, b);
  }
  return both;
}

RC_GTEST_PROP(ExactScore, RoundsToDoubleOnce, ()) {
  const Both both = draw_both();
  RC_ASSERT(both.score.to_double() == both.rational.to_double());
  RC_ASSERT((-both.score).to_double() == -both.rational.to_double());
}

RC_GTEST_PROP(ExactScore, RoundsToFloatOnce, ()) {
  const Both both = draw_both();
  RC_ASSERT(both.score.to_float() == both.rational.to_float());
}

RC_GTEST_PROP(ExactScore, ComparesAsTheRationalsDo, ()) {
  const Both a = draw_both(), b = draw_both();
  const int expected = compare(a.rational, b.rational);
  RC_ASSERT((a.score < b.score) == (expected < 0));
  RC_ASSERT((a.score == b.score) == (expected == 0));
  RC_ASSERT(a.score.negative() == a.rational.negative());
  RC_ASSERT(a.score.is_zero() == a.rational.is_zero());
  RC_ASSERT(!a.score.abs().negative());
}

RC_GTEST_PROP(ExactScore, AddsAndSubtractsWithoutLoss, ()) {
  const Both a = draw_both(), b = draw_both();
  ExactScore sum = a.score;
  sum += b.score;
  RC_ASSERT(sum.to_double() == (a.rational + b.rational).to_double());
  RC_ASSERT(sum - b.score == a.score);
  RC_ASSERT((a.score - a.score).is_zero());
}

RC_GTEST_PROP(ExactScore, TheWideSumIsTheSameNumber, ()) {
  ExactScore score;
  WideSum sum;
  const int terms = *rc::gen::inRange(0, 40);
  for (int term = 0; term < terms; ++term) {
    const double a = any_float(), b = any_float();
    score.add_product(a, b);
    sum.add_product(a, b);
  }
  RC_ASSERT(sum.value() == score);
}

RC_GTEST_PROP(ExactScore, TheHexadecimalFormReadsBackAsTheSameDouble, ()) {
  const double value = any_float() * any_float();  // 48 bits: a double holds it
  RC_ASSERT(std::strtod(ExactScore::from_double(value).to_string().c_str(), nullptr) == value);
}

RC_GTEST_PROP(ExactScore, ScalesIntegersOfAnySign, ()) {
  const auto significand = *rc::gen::resize(1000, rc::gen::arbitrary<std::int64_t>());
  const int exponent = *rc::gen::inRange(-298, 200);
  Both both;
  both.rational = Rational(static_cast<double>(significand / 4096)) * Rational(4096) +
                  Rational(static_cast<double>(significand % 4096));
  RC_ASSERT(ExactScore::from_scaled(significand, exponent).to_double() ==
            (both.rational * Rational(std::ldexp(1.0, exponent))).to_double());
}

ExactScore sum_of(std::initializer_list<double> values) {
  ExactScore sum;
  for (const double value : values) sum += ExactScore::from_double(value);
  return sum;
}

TEST(ExactScore, RoundsTiesToEvenAndSeesTheLastBit) {
  EXPECT_EQ(sum_of({0x1p53, 1}).to_double(), 0x1p53);
  EXPECT_EQ(sum_of({0x1p53, 3}).to_double(), 0x1p53 + 4);
  EXPECT_EQ(sum_of({0x1p53, 1, 0x1p-298}).to_double(), 0x1p53 + 2);
  EXPECT_EQ(sum_of({0x1p53, 1, -0x1p-298}).to_double(), 0x1p53);
  EXPECT_EQ(sum_of({0x1p24, 1}).to_float(), 0x1p24f);
  EXPECT_EQ(sum_of({0x1p24, 1, 0x1p-298}).to_float(), 0x1p24f + 2);
  EXPECT_EQ(sum_of({0x1p24, -1, 0x1p-1, -0x1p-298}).to_float(), 0x1p24f - 1);
}

TEST(ExactScore, RoundsSubnormalFloats) {
  EXPECT_EQ(sum_of({0x1p-149}).to_float(), 0x1p-149f);
  EXPECT_EQ(sum_of({0x1p-150}).to_float(), 0.0f);
  EXPECT_EQ(sum_of({0x1p-150, 0x1p-298}).to_float(), 0x1p-149f);
  EXPECT_EQ(sum_of({0x1.8p-149}).to_float(), 0x1p-148f);
  EXPECT_EQ(sum_of({0x1p-126, -0x1p-150}).to_float(), 0x1p-126f);
  EXPECT_EQ(sum_of({-0x1p-298}).to_float(), 0.0f);
}

TEST(ExactScore, OverflowsToInfinityAsRoundingToNearestDoes) {
  const float largest = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(sum_of({0x1p128, -0x1p103}).to_float(), infinity);
  EXPECT_EQ(sum_of({0x1p128, -0x1p103, -0x1p-298}).to_float(), largest);
  EXPECT_EQ(sum_of({-0x1p128}).to_float(), -infinity);
}

TEST(ExactScore, HoldsTheLimitsOfItsRange) {
  ExactScore sum;
  const double largest = std::numeric_limits<float>::max();
  for (int i = 0; i < 1000; ++i) sum.add_product(largest, largest);
  EXPECT_EQ(sum.to_double(), largest * largest * 1000);
  for (int i = 0; i < 1000; ++i) sum.add_product(-largest, largest);
  EXPECT_TRUE(sum.is_zero());
  sum.add_product(-0x1p-149, 0x1p-149);
  EXPECT_TRUE(sum.negative());
  EXPECT_EQ(sum.to_string(), "-0x1p-298");
}

TEST(ExactScore, RefusesWhatItCannotHold) {
  EXPECT_THROW(ExactScore::from_double(0x1p277), std::invalid_argument);
  EXPECT_THROW(ExactScore::from_double(0x1p-299), std::invalid_argument);
  EXPECT_THROW(ExactScore::from_double(std::numeric_limits<double>::infinity()), std::invalid_argument);
  EXPECT_THROW(ExactScore::from_double(std::nan("")), std::invalid_argument);
  EXPECT_THROW(ExactScore::from_double(0x1.8p-298), std::invalid_argument);
  EXPECT_THROW(ExactScore::from_scaled(1, -299), std::invalid_argument);
  EXPECT_THROW(ExactScore::from_scaled(1, 277), std::invalid_argument);
  EXPECT_EQ(ExactScore::from_double(0x1p276).to_double(), 0x1p276);
  EXPECT_EQ(ExactScore::from_double(0x1.8p-297).to_string(), "0x1.8p-297");
}

TEST(ExactScore, PrintsZeroAndFractions) {
  EXPECT_EQ(ExactScore{}.to_string(), "0x0p+0");
  EXPECT_EQ(sum_of({-2.5}).to_string(), "-0x1.4p+1");
  EXPECT_EQ(sum_of({0x1p60, 0x1p-60}).to_string(), "0x1.000000000000000000000000000001p+60");
}

}  // namespace
}  // namespace plumbline
