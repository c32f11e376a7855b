#include "reference/numeric/tensor_core.h"

#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

const TensorCoreStep kHopper = {16, 25, 23};
const TensorCoreStep kAmpere = {8, 24, 23};
const TensorCoreStep kVolta = {4, 23, 23};

float step(const TensorCoreStep& core, float accumulator, const std::vector<float>& a,
           const std::vector<float>& b) {
  return tensor_core_step(core, DType::float16, accumulator, a, b);
}

TEST(TensorCore, KeepsTermsDownToItsAlignmentAndCutsTheRest) {
  // 1 − 1 leaves what the alignment to 2^0 kept of the third product.
  const auto kept = [](const TensorCoreStep& core, float small) {
    return step(core, 0, {1, -1, 0x1p-12f}, {1, 1, small * 0x1p12f});
  };
  EXPECT_EQ(kept(kHopper, 0x1p-25f), 0x1p-25f);
  EXPECT_EQ(kept(kHopper, 0x1p-26f), 0);
  EXPECT_EQ(kept(kHopper, 1.75f * 0x1p-25f), 0x1p-25f);
  EXPECT_EQ(kept(kHopper, -1.75f * 0x1p-25f), -0x1p-25f);
  EXPECT_EQ(kept(kAmpere, 0x1p-24f), 0x1p-24f);
  EXPECT_EQ(kept(kAmpere, 0x1p-25f), 0);
  EXPECT_EQ(kept(kVolta, 0x1p-23f), 0x1p-23f);
  EXPECT_EQ(kept(kVolta, 0x1p-24f), 0);
}

TEST(TensorCore, CutsTheSumTowardZero) {
  // 1 + 3·2^-25 lies behind three quarters of float32's last place.
  EXPECT_EQ(step(kHopper, 1, {0x1p-13f, 0x1p-13f}, {0x1p-11f, 0x1p-12f}), 1);
  EXPECT_EQ(step(kHopper, -1, {-0x1p-13f, -0x1p-13f}, {0x1p-11f, 0x1p-12f}), -1);
  EXPECT_EQ(step(kHopper, 1, {0x1p-12f}, {0x1p-11f}), 1 + 0x1p-23f);
}

TEST(TensorCore, AlignsByTheSumOfTheOperandsExponents) {
  // 1.5·1.5 = 2.25 has exponent 1, but its operands' exponents add up to 0: 2^-25 still survives beside it.
  EXPECT_EQ(step(kHopper, 0, {1.5f, -1.5f, 0x1p-12f}, {1.5f, 1.5f, 0x1p-13f}), 0x1p-25f);
}

TEST(TensorCore, TakesASubnormalOperandAtTheSmallestExponent) {
  // 2^-24·2^11 is aligned at 2^-14·2^11 = 2^-3, so 2^-28 is the last place that is kept, not 2^-38.
  EXPECT_EQ(step(kHopper, 0, {0x1p-24f, -0x1p-24f, 0x1p-14f}, {0x1p11f, 0x1p11f, 0x1p-14f}), 0x1p-28f);
  EXPECT_EQ(step(kHopper, 0, {0x1p-24f, -0x1p-24f, 0x1p-14f}, {0x1p11f, 0x1p11f, 0x1p-15f}), 0);
}

TEST(TensorCore, GivesSubnormalsAndNeverNegativeZero) {
  EXPECT_EQ(tensor_core_step(kHopper, DType::bfloat16, 0, std::vector{0x1p-100f}, std::vector{0x1p-45f}),
            0x1p-145f);
  EXPECT_FALSE(std::signbit(step(kHopper, 0, {-1, 1}, {1, 1})));
  EXPECT_FALSE(std::signbit(step(kHopper, -0.0f, {-0.0f}, {1})));
  EXPECT_EQ(tensor_core_step(kHopper, DType::bfloat16, 0, std::vector{0x1p100f}, std::vector{0x1p100f}),
            std::numeric_limits<float>::infinity());
}

TEST(TensorCore, ChainsStepsInAscendingOrder) {
  std::vector<float> a(32, 0), b(32, 1);
  a[0] = 1;
  a[1] = 0x1p-24f;   // kept while the first step adds, and cut from its result
  a[16] = 0x1p-24f;  // likewise
  EXPECT_EQ(tensor_core_dot(kHopper, DType::float16, a, b), 1);
  a[2] = 0x1p-24f;  // now the first step's sum reaches the last place
  EXPECT_EQ(tensor_core_dot(kHopper, DType::float16, a, b), 1 + 0x1p-23f);
  // Volta adds the same terms in shorter steps that keep less.
  EXPECT_EQ(tensor_core_dot(kVolta, DType::float16, a, b), 1);
}

RC_GTEST_PROP(TensorCore, IsExactWhereEverythingFits, ()) {
  std::vector<float> a, b;
  double exact = 0;
  for (int i = 0; i < 48; ++i) {
    a.push_back(static_cast<float>(*rc::gen::inRange(-255, 256)));
    b.push_back(static_cast<float>(*rc::gen::inRange(-255, 256)));
    exact += static_cast<double>(a.back()) * b.back();
  }
  for (const TensorCoreStep& core : {kHopper, kAmpere, kVolta})
    RC_ASSERT(static_cast<double>(tensor_core_dot(core, DType::float16, a, b)) == exact);
}

TEST(TensorCore, SaysWhereEachCapabilityWasReadAndWhichWereMeasured) {
  std::set<std::string> capabilities;
  for (const TensorCore& core : tensor_cores()) {
    capabilities.emplace(core.capability);
    EXPECT_FALSE(core.source.empty());
    EXPECT_EQ(core.evidence, core.capability == "9.0" ? "measured" : "source");
    EXPECT_EQ(core.step_for(DType::float16), core.half);
    EXPECT_EQ(core.step_for(DType::bfloat16).has_value(), core.bfloat16);
    EXPECT_FALSE(core.step_for(DType::float32).has_value());
  }
  EXPECT_EQ(capabilities, (std::set<std::string>{"7.0", "7.5", "8.0", "8.6", "8.9", "9.0"}));
  EXPECT_EQ(find_tensor_core("10.0"), nullptr);
}

}  // namespace
}  // namespace plumbline
