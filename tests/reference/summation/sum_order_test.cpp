#include "reference/summation/sum_order.h"

#include "fixtures/error.h"
#include "reference/numeric/ordered_sum.h"
#include "reference/summation/ordered_evaluation.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using Kind = SumOrder::Kind;

std::vector<float> any_terms() {
  const auto mantissas = *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<std::int16_t>>());
  std::vector<float> terms;
  for (const std::int16_t mantissa : mantissas)
    terms.push_back(std::ldexp(static_cast<float>(mantissa), *rc::gen::inRange(-30, 30)));
  return terms;
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

std::uint32_t in_order(const SumOrder& order, const std::vector<float>& terms) {
  return bits(sum_in_order<float>(tree_of(order, std::ssize(terms)), terms));
}

RC_GTEST_PROP(SumOrder, AddsAsTheLoopsOfTheReferenceDo, ()) {
  const std::vector<float> terms = any_terms();
  RC_ASSERT(in_order({Kind::sequential}, terms) == bits(sequential_sum<float>(terms)));
  RC_ASSERT(in_order({Kind::lanes, 8}, terms) == bits(lane_sum<8, float>(terms)));
  RC_ASSERT(in_order({Kind::lanes, 16}, terms) == bits(lane_sum<16, float>(terms)));
  if (terms.size() > 1) RC_ASSERT(in_order({Kind::pairwise}, terms) == bits(pairwise_sum<float>(terms)));
}

RC_GTEST_PROP(SumOrder, StepsThroughBlocksAndStridesOneAfterAnother, ()) {
  const std::vector<float> terms = any_terms();
  const std::size_t width = *rc::gen::inRange<std::size_t>(1, 9);
  float blocks = 0, lanes = 0;
  for (std::size_t first = 0; first < terms.size(); first += width) {
    float block = 0;
    for (std::size_t i = first; i < std::min(terms.size(), first + width); ++i) block += terms[i];
    blocks = first == 0 ? block : blocks + block;
  }
  for (std::size_t lane = 0; lane < std::min(width, terms.size()); ++lane) {
    float sum = 0;
    for (std::size_t i = lane; i < terms.size(); i += width) sum += terms[i];
    lanes = lane == 0 ? sum : lanes + sum;
  }
  const auto w = static_cast<std::int32_t>(width);
  RC_ASSERT(in_order({Kind::blocks, w}, terms) == bits(blocks));
  RC_ASSERT(in_order({Kind::strided, w}, terms) == bits(lanes));
}

TEST(SumOrder, AFusedStepRoundsOnce) {
  // One after another 1 is lost twice; at once 2^24 + 2 is exact.
  EXPECT_EQ(in_order({Kind::sequential}, {0x1p24f, 1, 1}), bits(0x1p24f));
  EXPECT_EQ(in_order({Kind::fused, 3}, {0x1p24f, 1, 1}), bits(0x1p24f + 2));
  EXPECT_EQ(in_order({Kind::fused, 2}, {0x1p24f, 1, 1}), bits(0x1p24f));
}

TEST(SumOrder, ASumIsNeverNegativeZero) {
  EXPECT_EQ(in_order({Kind::sequential}, {-0.0f}), 0u);
  EXPECT_EQ(in_order({Kind::pairwise}, {-0.0f, -0.0f}), 0u);
  EXPECT_EQ(in_order({Kind::fused, 4}, {-0.0f, -0.0f, -0.0f}), 0u);
}

TEST(SumOrder, NamesWhatItReads) {
  for (const char* name : {"sequential", "pairwise", "lanes:16", "strided:3", "blocks:8", "fused:16"})
    EXPECT_EQ(name_of(sum_order_from(name)), name);
  for (const char* name :
       {"", "lanes", "lanes:3", "blocks:0", "fused:x", "fused:4x", "sequential:2", "ring:4"})
    EXPECT_THROW((void)sum_order_from(name), InputError) << name;
}

}  // namespace
}  // namespace plumbline
