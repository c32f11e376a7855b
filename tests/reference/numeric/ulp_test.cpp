#include "reference/numeric/ulp.h"

#include "reference/numeric/key_bits.h"
#include "tests/reference/numeric/float_codes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

const std::vector<DType> kSmallTypes = {DType::float16, DType::bfloat16, DType::float8_e4m3fn,
                                        DType::float8_e5m2};

std::uint32_t sign_of(DType type) { return 1u << (8 * size_of(type) - 1); }

struct Number {
  double value;
  std::uint32_t code;
};

/// Every number of a small type (infinities included), ascending, -0 before +0.
std::vector<Number> numbers_of(DType type) {
  std::vector<Number> numbers;
  for (std::uint32_t code = 0; code < 2 * sign_of(type); ++code) {
    const double value = testing::decode_code(type, code);
    if (!std::isnan(value)) numbers.push_back({value, code});
  }
  std::sort(numbers.begin(), numbers.end(), [](const Number& a, const Number& b) {
    return a.value != b.value ? a.value < b.value : std::signbit(a.value) && !std::signbit(b.value);
  });
  return numbers;
}

TEST(Ulp, NeighboursAreOneApartInEverySmallType) {
  for (const DType type : kSmallTypes) {
    const std::vector<Number> numbers = numbers_of(type);
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      const std::int64_t expected = numbers[i - 1].value == numbers[i].value ? 0 : 1;
      ASSERT_EQ(ulp_distance(type, numbers[i - 1].code, numbers[i].code), expected)
          << name_of(type) << " " << i;
      ASSERT_EQ(ulp_distance(type, numbers[i].code, numbers[i - 1].code), expected);
    }
  }
}

TEST(Ulp, DistancesCountTheNumbersBetween) {
  for (const DType type : kSmallTypes) {
    const std::vector<Number> numbers = numbers_of(type);
    const std::size_t step = numbers.size() / 61 + 1;
    for (std::size_t i = 0; i < numbers.size(); i += step) {
      for (std::size_t j = i; j < numbers.size(); j += step) {
        // -0 and +0 are one number.
        const bool across_zero = std::signbit(numbers[i].value) && !std::signbit(numbers[j].value);
        const auto between = static_cast<std::int64_t>(j - i) - (across_zero ? 1 : 0);
        ASSERT_EQ(ulp_distance(type, numbers[i].code, numbers[j].code), between) << name_of(type);
      }
    }
  }
}

TEST(Ulp, NaNIsFarFromEverythingButItself) {
  for (const DType type : testing::floating_types()) {
    const std::uint32_t sign = sign_of(type), nan = sign - 1;
    EXPECT_EQ(ulp_distance(type, nan, nan), 0);
    EXPECT_EQ(ulp_distance(type, nan, nan | sign), kUlpNaN);
    EXPECT_EQ(ulp_distance(type, nan, 0), kUlpNaN);
    EXPECT_EQ(ulp_distance(type, 1, nan), kUlpNaN);

    EXPECT_EQ(ulp_distance(type, nan, nan - 1), kUlpNaN);  // another NaN, or 448
  }
}

TEST(Ulp, E4m3fnHasNoInfinityAboveItsLargestNumber) {
  EXPECT_EQ(ulp_distance(DType::float8_e4m3fn, 0x7E, 0x7D), 1);
  EXPECT_EQ(ulp_distance(DType::float8_e4m3fn, 0x7E, 0x7F), kUlpNaN);
  EXPECT_EQ(ulp_distance(DType::float8_e5m2, 0x7B, 0x7C), 1);
}

RC_GTEST_PROP(Ulp, Float32StepsAreCountedByNextafter, ()) {
  float value = std::bit_cast<float>(*testing::finite_code(DType::float32));
  const std::uint32_t start = std::bit_cast<std::uint32_t>(value);
  const int steps = *rc::gen::inRange(0, 50);
  int taken = 0;
  for (; taken < steps && !std::isinf(value); ++taken) value = std::nextafterf(value, INFINITY);
  RC_ASSERT(ulp_distance(DType::float32, start, std::bit_cast<std::uint32_t>(value)) == taken);
}

RC_GTEST_PROP(Ulp, Float32SpacingIsTheGapAbove, ()) {
  const float value = std::bit_cast<float>(*testing::finite_code(DType::float32) & 0x7FFFFFFFu);
  RC_PRE(value != std::numeric_limits<float>::max());
  const double gap = static_cast<double>(std::nextafterf(value, INFINITY)) - static_cast<double>(value);
  RC_ASSERT(ulp_of(DType::float32, value) == gap);
  RC_ASSERT(ulp_of(DType::float32, -value) == gap);
}

TEST(Ulp, SpacingOfSmallTypesIsTheGapAboveEveryNumber) {
  for (const DType type : kSmallTypes) {
    const std::vector<Number> numbers = numbers_of(type);
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
      const double value = numbers[i].value, next = numbers[i + 1].value;
      if (std::signbit(value) || std::isinf(next)) continue;
      ASSERT_EQ(ulp_of(type, value), next - value) << name_of(type) << " " << value;
      ASSERT_EQ(ulp_of(type, value + (next - value) / 2), next - value) << "between two numbers";
    }
  }
}

TEST(Ulp, SpacingAtTheEnds) {
  EXPECT_EQ(ulp_of(DType::float16, 65504), 32);
  EXPECT_EQ(ulp_of(DType::float16, 1e30), 32);
  EXPECT_EQ(ulp_of(DType::float16, INFINITY), 32);
  EXPECT_EQ(ulp_of(DType::float8_e4m3fn, 448), 32);
  EXPECT_EQ(ulp_of(DType::float32, 0), 0x1p-149);
  EXPECT_TRUE(std::isnan(ulp_of(DType::bfloat16, NAN)));
}

TEST(Ulp, UnitRoundoffIsHalfTheSpacingAtOne) {
  for (const DType type : testing::floating_types())
    EXPECT_EQ(unit_roundoff(type), ulp_of(type, 1) / 2) << name_of(type);
  EXPECT_EQ(unit_roundoff(DType::float32), 0x1p-24);
}

TEST(Ulp, RefusesIntegers) {
  EXPECT_THROW(ulp_distance(DType::int32, 0, 1), std::invalid_argument);
  EXPECT_THROW(ulp_of(DType::uint8, 1), std::invalid_argument);
}

TEST(KeyBits, OrderNumbersByValueAndNaNByBits) {
  const std::vector<std::uint32_t> ascending = {0xFFFFFFFF, 0xFFC00000, 0xFF800001, 0xFF800000, 0xFF7FFFFF,
                                                0xBF800000, 0x80000001, 0x00000000, 0x00000001, 0x3F800000,
                                                0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(score_key(std::bit_cast<float>(ascending[i - 1])),
              score_key(std::bit_cast<float>(ascending[i])))
        << i;
  }
  EXPECT_EQ(score_key(-0.0f), score_key(0.0f));
  EXPECT_EQ(score_key(0.0f), 0x80000000u);
  EXPECT_EQ(score_key(-std::numeric_limits<float>::infinity()), 0x007FFFFFu);
}

}  // namespace
}  // namespace plumbline
