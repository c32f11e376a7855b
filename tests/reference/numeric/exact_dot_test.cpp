#include "reference/numeric/exact_dot.h"

#include "reference/numeric/exact_query.h"
#include "tests/reference/numeric/float_codes.h"
#include "tests/reference/numeric/rational.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using testing::Rational;

/// The score in the tests' own arithmetic.
Rational rational_relu_sum(const TensorView& query, const TensorView& key) {
  Rational sum;
  for (std::int64_t head = 0; head < query.extent(0); ++head) {
    Rational dot;
    for (std::int64_t i = 0; i < key.extent(0); ++i) {
      dot = dot + Rational(decode_element(query.dtype, query.at(head, i))) *
                      Rational(decode_element(key.dtype, key.at(i)));
    }
    if (dot.sign() > 0) sum = sum + dot;
  }
  return sum;
}

/// The exact value of a score, read back through its limbs' two roundings: the rounded double, then the rest.
void expect_equal(const ExactScore& score, const Rational& expected) {
  ExactScore rest = score;
  Rational expected_rest = expected;
  for (int part = 0; part < 12; ++part) {
    const double high = expected_rest.to_double();
    RC_ASSERT(rest.to_double() == high);
    rest = rest - ExactScore::from_double(high);
    expected_rest = expected_rest - Rational(high);
  }
  RC_ASSERT(expected_rest.is_zero());
  RC_ASSERT(rest.is_zero());
}

struct Pair {
  Tensor query, key;
};

/// Query and key of drawn types and sizes. Half of the draws put the same key twice, with opposite signs in
/// the query, so that all but the last products cancel.
Pair draw_pair() {
  const DType query_type = *rc::gen::elementOf(testing::floating_types());
  const DType key_type = *rc::gen::elementOf(testing::floating_types());
  const auto heads = static_cast<std::size_t>(*rc::gen::inRange(1, 4));
  const auto half = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
  const std::size_t dim = 2 * half + 1;
  auto query = *rc::gen::container<std::vector<std::uint32_t>>(heads * dim, testing::finite_code(query_type));
  auto key = *rc::gen::container<std::vector<std::uint32_t>>(dim, testing::finite_code(key_type));
  if (*rc::gen::arbitrary<bool>()) {
    const std::uint32_t sign = 1u << (8 * size_of(query_type) - 1);
    for (std::size_t i = 0; i < half; ++i) {
      key[half + i] = key[i];
      for (std::size_t head = 0; head < heads; ++head)
        query[head * dim + half + i] = query[head * dim + i] ^ sign;
    }
  }
  const auto h = static_cast<std::int64_t>(heads), d = static_cast<std::int64_t>(dim);
  return {testing::tensor_of_codes(query_type, {h, d}, query), testing::tensor_of_codes(key_type, {d}, key)};
}

RC_GTEST_PROP(ExactDot, EqualsRationalArithmeticForEveryPairOfTypes, ()) {
  const Pair pair = draw_pair();
  expect_equal(exact_relu_sum(pair.query.view(), pair.key.view()),
               rational_relu_sum(pair.query.view(), pair.key.view()));
}

RC_GTEST_PROP(ExactDot, TheExpansionAgreesWithTheFixedPointSum, ()) {
  const Pair pair = draw_pair();
  RC_ASSERT(exact_relu_sum_by_expansion(pair.query.view(), pair.key.view()) ==
            exact_relu_sum(pair.query.view(), pair.key.view()));
}

RC_GTEST_PROP(ExactDot, TheMagnitudeIsNeverBelowTheSumAndNeverMuchAbove, ()) {
  const Pair pair = draw_pair();
  Rational sum;
  for (std::int64_t head = 0; head < pair.query.extent(0); ++head) {
    for (std::int64_t i = 0; i < pair.key.extent(0); ++i) {
      sum = sum + Rational(std::fabs(decode_element(pair.query.dtype, pair.query.view().at(head, i)) *
                                     decode_element(pair.key.dtype, pair.key.view().at(i))));
    }
  }
  const Rational magnitude(magnitude_sum(pair.query.view(), pair.key.view()));
  RC_ASSERT(compare(magnitude, sum) >= 0);
  RC_ASSERT(compare(magnitude, sum * Rational(1 + 0x1p-40)) < 0 || sum.is_zero());
}

RC_GTEST_PROP(ExactDot, EveryArithmeticThatTheWindowsAllowGivesTheSameScore, ()) {
  // Small multiples of a drawn unit fit doubles; a far element in one head pushes the pair to the wider
  // paths.
  const int unit = *rc::gen::inRange(-60, 40);
  const int far = *rc::gen::elementOf(std::vector<int>{0, 20, 45, 70});
  const auto values = *rc::gen::container<std::vector<int>>(24, rc::gen::inRange(-100, 101));
  std::vector<float> query, key;
  for (std::size_t i = 0; i < 16; ++i) query.push_back(std::ldexp(static_cast<float>(values[i]), unit));
  for (std::size_t i = 16; i < 24; ++i) key.push_back(std::ldexp(static_cast<float>(values[i]), unit / 2));
  query[3] = std::ldexp(query[3], far);
  const ExactQuery prepared(query, 2);
  const ExactScore score = prepared.score(key, window_of(key));
  RC_TAG(static_cast<int>(prepared.arithmetic(window_of(key))));
  ExactScore expected;
  for (std::size_t head = 0; head < 2; ++head) {
    ExactScore dot;
    for (std::size_t i = 0; i < 8; ++i) dot.add_product(query[head * 8 + i], key[i]);
    if (!dot.negative()) expected += dot;
  }
  RC_ASSERT(score == expected);
}

TEST(ExactDot, TakesEachArithmeticWhereItIsNeeded) {
  const std::vector<float> query{1, 3, 5, 7}, narrow{1, 2, 3, 4}, wide{0x1p-45f, 8, 0, 0},
      widest{0x1p60f, 0x1p-60f, 0, 0};
  const ExactQuery prepared(query, 1);
  using Arithmetic = ExactQuery::Arithmetic;
  EXPECT_EQ(prepared.arithmetic(window_of(narrow)), Arithmetic::float64);
  EXPECT_EQ(prepared.arithmetic(window_of(wide)), Arithmetic::integer128);
  EXPECT_EQ(prepared.arithmetic(window_of(widest)), Arithmetic::wide_sum);
  EXPECT_EQ(prepared.score(narrow, window_of(narrow)).to_string(), "0x1.9p+5");
  EXPECT_EQ(prepared.score(wide, window_of(wide)).to_string(), "0x1.8000000000008p+4");
  EXPECT_EQ(prepared.score(widest, window_of(widest)).to_string(), "0x1.000000000000000000000000000003p+60");
}

TEST(ExactDot, ReadsStridedViewsAndNegativeZero) {
  const Tensor query = testing::tensor_of_codes(DType::float16, {2, 2}, {0x3C00, 0x8000, 0xBC00, 0x4000});
  TensorView transposed = query.view();
  std::swap(transposed.strides[0], transposed.strides[1]);
  const Tensor key = testing::tensor_of_codes(DType::float16, {2}, {0x3C00, 0x3C00});
  EXPECT_EQ(exact_relu_sum(query.view(), key.view()).to_double(), 1 + 1);
  EXPECT_EQ(exact_relu_sum(transposed, key.view()).to_double(), 2);
  EXPECT_EQ(exact_relu_sum_by_expansion(transposed, key.view()).to_double(), 2);
}

TEST(ExactDot, SeesANonFiniteElementAnywhere) {
  for (const DType type : testing::floating_types()) {
    Tensor values(type, {2, 3});
    EXPECT_TRUE(all_finite(values.view()));
    for (std::size_t i = 0; i < 6; ++i) {
      Tensor broken = values;
      const std::uint32_t nan = type == DType::float32 ? 0x7FC00000u
                                : size_of(type) == 2   ? 0x7FC0u | 0x7E00u
                                                       : 0x7Fu;
      std::memcpy(broken.bytes.data() + i * size_of(type), &nan, size_of(type));
      EXPECT_FALSE(all_finite(broken.view())) << name_of(type) << " element " << i;
    }
  }
}

TEST(ExactDot, RefusesANonFiniteElement) {
  const Tensor query = testing::tensor_of_codes(DType::float16, {1, 2}, {0x3C00, 0x7C00});
  const Tensor key = testing::tensor_of_codes(DType::float16, {2}, {0x3C00, 0x3C00});
  EXPECT_THROW(exact_relu_sum(query.view(), key.view()), std::invalid_argument);
}

}  // namespace
}  // namespace plumbline
