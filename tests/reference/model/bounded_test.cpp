#include "reference/model/bounded.h"

#include "fixtures/small_float.h"
#include "reference/model/engine_arithmetic.h"
#include "reference/model/linear_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

rc::Gen<double> number() {
  return rc::gen::map(rc::gen::inRange<std::int64_t>(-(1 << 26), 1 << 26),
                      [](std::int64_t n) { return static_cast<double>(n) * 0x1p-20; });
}

/// A number the engine may hold: anywhere in the interval, its ends included. Exact for arbitrary_bounded().
double somewhere_in(Bounded a) { return a.value + *rc::gen::element(-1.0, -0.5, 0.0, 0.25, 1.0) * a.error; }

Bounded arbitrary_bounded() {
  const double value = *number();
  return {value, std::abs(value) * *rc::gen::element(0.0, 0x1p-24, 0x1p-12, 0x1p-3)};
}

RC_GTEST_PROP(Bounded, ArithmeticCoversEveryNumberInTheIntervals, ()) {
  const Bounded a = arbitrary_bounded(), b = arbitrary_bounded();
  const double x = somewhere_in(a), y = somewhere_in(b);
  using Wide = __float128;  // holds every sum and product below exactly
  const auto covers = [](Bounded result, Wide engine) {
    const Wide distance = engine - static_cast<Wide>(result.value);
    return (distance < 0 ? -distance : distance) <= static_cast<Wide>(result.error);
  };
  RC_ASSERT(covers(a + b, Wide(x) + y));
  RC_ASSERT(covers(a - b, Wide(x) - y));
  RC_ASSERT(covers(a * b, Wide(x) * y));
  if (a.value > 0) RC_ASSERT(covers(square_root(a), std::sqrt(static_cast<long double>(x))));
  if (a.value != 0) RC_ASSERT(covers(reciprocal(a), 1 / Wide(x)));
}

RC_GTEST_PROP(Bounded, RoundingCoversWhatTheEngineRounds, ()) {
  const Bounded a = arbitrary_bounded();
  const DType type = *rc::gen::element(DType::float32, DType::float16, DType::bfloat16);
  const Bounded ours = rounded(type, a);
  RC_ASSERT(ours.value == round_to(type, a.value));
  RC_ASSERT(std::abs(round_to(type, somewhere_in(a)) - ours.value) <= ours.error);
}

TEST(Bounded, RoundingIsCertainWhereBothEndsAgree) {
  EXPECT_EQ(rounded(DType::bfloat16, {1.001, 1e-4}).error, 0);
  EXPECT_EQ(rounded(DType::bfloat16, {1.001, 1e-4}).value, 1);
}

TEST(Bounded, RoundingNextToATieCoversBothCandidates) {
  const Bounded tie = rounded(DType::bfloat16, {1 + 0x1p-8, 0x1p-30});
  EXPECT_EQ(tie.value, 1);
  EXPECT_GE(tie.error, 0x1p-7);
  EXPECT_LT(tie.error, 0x1.01p-7);
}

TEST(Bounded, ExactOperationsStayExact) {
  EXPECT_EQ((Bounded{1.5, 0} * Bounded{3, 0}).error, 0);
  EXPECT_EQ((Bounded{1.5, 0} + Bounded{0x1p-20, 0}).error, 0);
}

RC_GTEST_PROP(Bounded, AnyOrderSumCoversEveryOrderOfFloat32Additions, ()) {
  const auto terms = *rc::gen::container<std::vector<float>>(
      rc::gen::map(number(), [](double x) { return static_cast<float>(x * x * x); }));
  std::vector<Bounded> bounded;
  for (const float term : terms) bounded.push_back({term, 0});
  const Bounded sum = float32_sum_any_order(bounded);
  std::vector<float> pool = terms;
  while (pool.size() > 1) {  // an arbitrary addition tree
    const auto take = [&] {
      const auto at = *rc::gen::inRange<std::size_t>(0, pool.size());
      const float value = pool[at];
      pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(at));
      return value;
    };
    const float a = take(), b = take();
    pool.push_back(a + b);
  }
  const double engine = pool.empty() ? 0 : static_cast<double>(pool[0]);
  RC_ASSERT(std::abs(engine - sum.value) <= sum.error);
}

TEST(Bounded, AnyOrderSumOfAFew16BitTermsIsCertain) {
  const std::array<Bounded, 4> terms = {{{1.0078125, 0}, {1.5, 0}, {-0.25, 0}, {0.00390625, 0}}};
  EXPECT_EQ(float32_sum_any_order(terms).error, 0);
  const std::array<Bounded, 2> far_apart = {{{1, 0}, {0x1p-30, 0}}};
  EXPECT_GT(float32_sum_any_order(far_apart).error, 0);
}

TEST(BoundedPartial, IsTheLargestTermOrPartialSumCarriedThroughProducts) {
  const Bounded sum = Bounded{1000} + Bounded{1} - Bounded{1000};
  EXPECT_EQ(sum.value, 1);
  EXPECT_EQ(sum.partial, 1001);
  EXPECT_EQ((sum * Bounded{-2}).partial, 2002);
  EXPECT_EQ(rounded(DType::bfloat16, sum).partial, 1001);
  EXPECT_EQ(scale_of(sum), 1001);
  EXPECT_EQ(scale_of(Bounded{-3}), 3);
  EXPECT_EQ(square_root(sum).partial, 0);
  const std::vector<Bounded> terms{{5}, {7}, {-11}};
  EXPECT_EQ(float32_sum_any_order(terms).partial, 12);
}

TEST(BoundedPartial, OfAMatrixProductIsThatOfItsTermsInOrder) {
  const EngineArithmetic arithmetic(hf_cuda_profile(), DType::bfloat16);
  Rows<Bounded> x(1, 3);
  x.numbers = {{4}, {3}, {-6}};
  const LinearWeight weight(std::vector<float>{1, 2, 1, 0, 1, 0}, 2, 3);
  EXPECT_EQ(linear_layer(x, weight, arithmetic).numbers[0].value, 4);
  EXPECT_EQ(linear_layer(x, weight, arithmetic).numbers[0].partial, 10);
  x.numbers[1].partial = 100;  // the input itself came from a sum that cancelled
  EXPECT_EQ(linear_layer(x, weight, arithmetic).numbers[1].partial, 100);
}

}  // namespace
}  // namespace plumbline
