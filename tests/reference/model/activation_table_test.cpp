#include "fixtures/small_float.h"
#include "reference/model/activation.h"
#include "reference/model/engine_arithmetic.h"
#include "reference/model/number.h"
#include "tests/reference/model/wide.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>

#include <gtest/gtest.h>
#include <mpfr.h>

namespace plumbline {
namespace {

double table_sigmoid(double x) {
  Wide y;
  wide_sigmoid(x, y);
  return y.as_bfloat16();
}

double table_silu(double x) {
  // Where the result is subnormal, half an odd number of units is a tie up to one part in 2^133, which no
  // double sees.
  if (std::abs(x) < 0x1p-125) return round_to(DType::bfloat16, x / 2);
  Wide y;
  mpfr_set_d(y, -x, MPFR_RNDN);
  mpfr_exp(y, y, MPFR_RNDN);
  mpfr_add_ui(y, y, 1, MPFR_RNDN);
  mpfr_d_div(y, x, y, MPFR_RNDN);
  return y.as_bfloat16();
}

/// PyTorch's: x itself above 20.
double table_softplus(double x) {
  if (x > 20) return x;
  Wide y;
  mpfr_set_d(y, x, MPFR_RNDN);
  mpfr_exp(y, y, MPFR_RNDN);
  mpfr_log1p(y, y, MPFR_RNDN);
  return y.as_bfloat16();
}

/// x·erfc(−x/√2)/2.
double table_gelu(double x) {
  // Where x·Φ(x) is subnormal, half an odd number of units is a tie up to one part in 2^133, as with silu.
  if (std::abs(x) < 0x1p-125) return round_to(DType::bfloat16, x / 2);
  Wide y, half;
  mpfr_set_d(half, 0.5, MPFR_RNDN);
  mpfr_sqrt(y, half, MPFR_RNDN);
  mpfr_mul_d(y, y, -x, MPFR_RNDN);
  mpfr_erfc(y, y, MPFR_RNDN);
  mpfr_mul_d(y, y, x / 2, MPFR_RNDN);
  return y.as_bfloat16();
}

/// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), 1 + tanh u as 2/(1 + e^−2u).
double table_gelu_tanh(double x) {
  if (std::abs(x) < 0x1p-125) return round_to(DType::bfloat16, x / 2);
  Wide y, factor;
  mpfr_set_d(y, x, MPFR_RNDN);
  mpfr_pow_ui(y, y, 3, MPFR_RNDN);
  mpfr_mul_d(y, y, 0.044715, MPFR_RNDN);
  mpfr_add_d(y, y, x, MPFR_RNDN);
  mpfr_const_pi(factor, MPFR_RNDN);
  mpfr_ui_div(factor, 8, factor, MPFR_RNDN);
  mpfr_sqrt(factor, factor, MPFR_RNDN);
  mpfr_mul(y, y, factor, MPFR_RNDN);
  mpfr_neg(y, y, MPFR_RNDN);
  mpfr_exp(y, y, MPFR_RNDN);
  mpfr_add_ui(y, y, 1, MPFR_RNDN);
  mpfr_d_div(y, x, y, MPFR_RNDN);
  return y.as_bfloat16();
}

using Arithmetic = BasicEngineArithmetic<double>;

void expect_table(const char* name, const std::function<double(const Arithmetic&, double)>& ours,
                  const std::function<double(double)>& table) {
  const Arithmetic arithmetic(exact_profile(), DType::bfloat16);
  int finite = 0;
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const double x = decode_bfloat16(static_cast<std::uint16_t>(bits));
    const double result = arithmetic.store(ours(arithmetic, x));
    if (std::isnan(x)) {
      ASSERT_TRUE(std::isnan(result)) << name << " of bits " << bits;
    } else if (std::isfinite(x)) {
      ++finite;
      // -0 and +0 are both right where a positive result underflows.
      ASSERT_EQ(result, table(x)) << name << " of " << x;
    }
  }
  EXPECT_EQ(finite, 65280);
}

TEST(ActivationTable, SigmoidIsCorrectlyRoundedForEveryBfloat16) {
  expect_table(
      "sigmoid", [](const Arithmetic& a, double x) { return a.sigmoid(x); }, table_sigmoid);
}

TEST(ActivationTable, SiluIsCorrectlyRoundedForEveryBfloat16) {
  expect_table(
      "silu", [](const Arithmetic& a, double x) { return a.silu(x); }, table_silu);
}

TEST(ActivationTable, SoftplusIsCorrectlyRoundedForEveryBfloat16) {
  expect_table(
      "softplus", [](const Arithmetic& a, double x) { return a.softplus(x); }, table_softplus);
}

TEST(ActivationTable, GeluIsCorrectlyRoundedForEveryBfloat16) {
  expect_table(
      "gelu", [](const Arithmetic& a, double x) { return activated(Activation::gelu, x, a); }, table_gelu);
}

TEST(ActivationTable, GeluTanhIsCorrectlyRoundedForEveryBfloat16) {
  expect_table(
      "gelu_pytorch_tanh",
      [](const Arithmetic& a, double x) { return activated(Activation::gelu_tanh, x, a); }, table_gelu_tanh);
}

TEST(ActivationTable, ReluKeepsPositiveNumbersAlone) {
  expect_table(
      "relu", [](const Arithmetic& a, double x) { return activated(Activation::relu, x, a); },
      [](double x) { return x > 0 ? x : 0; });
}

// CASES.md E11: log(1 + e^x) in float32 is infinite above 88.7 and 0 below -16.6.
TEST(ActivationTable, SoftplusNeitherOverflowsNorVanishes) {
  const Arithmetic a(hf_cuda_profile(), DType::float32);
  for (const double x : {20.1, 88.0, 89.0, 1e4}) EXPECT_EQ(a.softplus(x), x);
  EXPECT_NEAR(a.softplus(0), std::log(2.0), 1e-15);
  EXPECT_NEAR(a.softplus(19.9), 19.9 + std::exp(-19.9), 1e-14);
  EXPECT_NEAR(a.softplus(20), 20 + std::exp(-20.0), 1e-14);
  for (const double x : {-16.6, -20.0, -100.0}) EXPECT_NEAR(a.softplus(x) / std::exp(x), 1, 1e-7);
}

TEST(ActivationTable, EndsOfTheLineAndTheSignOfZero) {
  const Arithmetic a(exact_profile(), DType::float32);
  EXPECT_EQ(a.sigmoid(HUGE_VAL), 1);
  EXPECT_EQ(a.sigmoid(-HUGE_VAL), 0);
  EXPECT_EQ(a.sigmoid(-0.0), 0.5);
  EXPECT_EQ(a.softplus(HUGE_VAL), HUGE_VAL);
  EXPECT_EQ(a.softplus(-HUGE_VAL), 0);
  EXPECT_TRUE(std::signbit(a.silu(-0.0)));
  EXPECT_FALSE(std::signbit(a.silu(0.0)));
}

}  // namespace
}  // namespace plumbline
