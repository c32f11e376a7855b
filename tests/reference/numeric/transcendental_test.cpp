#include "reference/numeric/transcendental.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <mpfr.h>

namespace plumbline {
namespace {

/// Distance of `ours` from the exact value in units of the double next to it, by 320-bit arithmetic.
class Exact {
 public:
  Exact() {
    mpfr_init2(value_, 320);
    mpfr_init2(other_, 320);
  }
  ~Exact() {
    mpfr_clear(value_);
    mpfr_clear(other_);
  }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;

  double error_of(double ours, int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t), double x) {
    mpfr_set_d(other_, x, MPFR_RNDN);
    function(value_, other_, MPFR_RNDN);
    return distance(ours);
  }
  double error_of_power(double ours, double base, double exponent) {
    mpfr_set_d(value_, base, MPFR_RNDN);
    mpfr_set_d(other_, exponent, MPFR_RNDN);
    mpfr_pow(value_, value_, other_, MPFR_RNDN);
    return distance(ours);
  }

 private:
  double distance(double ours) {
    const double nearest = std::abs(mpfr_get_d(value_, MPFR_RNDN));
    if (std::isinf(nearest)) return std::isinf(ours) ? 0 : std::numeric_limits<double>::infinity();
    const double ulp = std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
    mpfr_sub_d(value_, value_, ours, MPFR_RNDN);
    mpfr_div_d(value_, value_, ulp, MPFR_RNDN);
    return std::abs(mpfr_get_d(value_, MPFR_RNDN));
  }
  mpfr_t value_, other_;
};

/// Doubles spread evenly over [low, high], and over the exponents of their magnitudes.
class Arguments {
 public:
  double linear(double low, double high) { return low + (high - low) * unit(); }
  double logarithmic(double low, double high) {
    return low * std::exp2(unit() * std::log2(high / low)) * (engine_() % 2 == 0 ? 1 : -1);
  }

 private:
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::mt19937_64 engine_{20261130};
};

constexpr int kSamples = 20000;

struct Worst {
  double error = 0, argument = 0;
  void see(double e, double x) {
    if (!(e <= error)) {
      error = e;
      argument = x;
    }
  }
};

template <typename Ours, typename Next>
Worst worst_of(Ours ours, int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t), Next next) {
  Exact exact;
  Worst worst;
  for (int i = 0; i < kSamples; ++i) {
    const double x = next(i);
    worst.see(exact.error_of(ours(x), function, x), x);
  }
  return worst;
}

void expect_within_an_ulp(const char* name, const Worst& worst) {
  EXPECT_LE(worst.error, 1.0) << name << " at " << std::hexfloat << worst.argument;
  testing::Test::RecordProperty(name, std::to_string(worst.error));
  std::printf("%s: at most %.4f ULP\n", name, worst.error);
}

TEST(Transcendental, SineAndCosineAreWithinAnUlpForAllMagnitudes) {
  Arguments arguments;
  const auto next = [&](int i) {
    return i % 2 == 0 ? arguments.linear(-100, 100) : arguments.logarithmic(0x1p-40, kLargestAngle);
  };
  expect_within_an_ulp("sin", worst_of(sine_of, mpfr_sin, next));
  expect_within_an_ulp("cos", worst_of(cosine_of, mpfr_cos, next));
}

TEST(Transcendental, SineAndCosineAreWithinAnUlpNextToMultiplesOfHalfPi) {
  Arguments arguments;
  const auto next = [&](int) {
    const double multiple = std::floor(arguments.linear(-0x1p31, 0x1p31) * 0x1.45f306dc9c883p-1);
    return multiple * 0x1.921fb54442d18p+0;
  };
  expect_within_an_ulp("sin near multiples", worst_of(sine_of, mpfr_sin, next));
  expect_within_an_ulp("cos near multiples", worst_of(cosine_of, mpfr_cos, next));
}

TEST(Transcendental, SineAndCosineAreWithinAnUlpAtTheAnglesOfPositions) {
  Arguments arguments;
  const auto next = [&](int i) {
    const auto position = static_cast<float>(std::floor(arguments.linear(0, i % 2 == 0 ? 1e6 : 0x1p31)));
    const auto frequency = static_cast<float>(arguments.linear(1e-7, 1));
    return static_cast<double>(position * frequency);
  };
  expect_within_an_ulp("sin of angles", worst_of(sine_of, mpfr_sin, next));
  expect_within_an_ulp("cos of angles", worst_of(cosine_of, mpfr_cos, next));
}

TEST(Transcendental, ExponentialIsWithinAnUlpDownToSubnormals) {
  Arguments arguments;
  const auto next = [&](int i) {
    return i % 3 == 0   ? arguments.linear(-745, 709.7)
           : i % 3 == 1 ? arguments.linear(-2, 2)
                        : arguments.logarithmic(0x1p-60, 1);
  };
  expect_within_an_ulp("exp", worst_of(exp_of, mpfr_exp, next));
  const auto subnormal = [&](int) { return arguments.linear(-745, -708); };
  expect_within_an_ulp("exp subnormal", worst_of(exp_of, mpfr_exp, subnormal));
}

TEST(Transcendental, LogarithmIsWithinAnUlpForAllMagnitudesAndNextToOne) {
  Arguments arguments;
  const auto next = [&](int i) {
    if (i % 3 == 0) return 1 + arguments.linear(-0.3, 0.45);
    if (i % 3 == 1) return 1 + arguments.logarithmic(0x1p-52, 0.25);
    return std::abs(arguments.logarithmic(0x1p-1000, 0x1p1000));
  };
  expect_within_an_ulp("log", worst_of(log_of, mpfr_log, next));
  Exact exact;
  EXPECT_LE(exact.error_of(log_of(0x1p-1074), mpfr_log, 0x1p-1074), 1.0);
  EXPECT_LE(exact.error_of(log_of(0x1.8p-1060), mpfr_log, 0x1.8p-1060), 1.0);
}

TEST(Transcendental, PowerIsWithinAnUlp) {
  Arguments arguments;
  Exact exact;
  Worst worst;
  for (int i = 0; i < kSamples / 2; ++i) {
    const double base = std::abs(arguments.logarithmic(0x1p-300, 0x1p300));
    const double exponent = arguments.linear(-3, 3);
    worst.see(exact.error_of_power(pow_of(base, exponent), base, exponent), base);
  }
  for (const double theta : {1e4, 1e6, 1e7}) {
    for (int pair = 0; pair < 64; ++pair) {
      worst.see(exact.error_of_power(pow_of(theta, -pair / 32.0), theta, -pair / 32.0), theta);
    }
  }
  expect_within_an_ulp("pow", worst);
}

TEST(Transcendental, NormalTailIsAccurateToItsEnd) {
  Exact exact;
  for (int i = 0; i <= 14 * 1024; ++i) {
    const double x = i / 1024.0;
    const auto half_complement = [](mpfr_t result, const mpfr_t argument, mpfr_rnd_t rounding) {
      mpfr_t half;
      mpfr_init2(half, 320);
      mpfr_set_d(half, 0.5, rounding);
      mpfr_sqrt(half, half, rounding);
      mpfr_mul(result, argument, half, rounding);
      mpfr_erfc(result, result, rounding);
      mpfr_clear(half);
      return mpfr_div_ui(result, result, 2, rounding);
    };
    ASSERT_LE(exact.error_of(normal_tail_of(x), half_complement, x), 512) << x;  // 2^-43 at most
  }
  EXPECT_EQ(normal_tail_of(0), 0.5);
  EXPECT_EQ(normal_tail_of(HUGE_VAL), 0);
  EXPECT_TRUE(std::isnan(normal_tail_of(-1)));
  EXPECT_TRUE(std::isnan(normal_tail_of(std::nan(""))));
}

TEST(Transcendental, SpecialArgumentsGiveTheirLimits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sine_of(-0.0)), std::bit_cast<std::uint64_t>(-0.0));
  EXPECT_EQ(cosine_of(0), 1);
  EXPECT_TRUE(std::isnan(sine_of(kInfinity)));
  EXPECT_TRUE(std::isnan(cosine_of(2 * kLargestAngle)));
  EXPECT_TRUE(std::isnan(cosine_of(std::nan(""))));
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_EQ(exp_of(kInfinity), kInfinity);
  EXPECT_EQ(exp_of(710), kInfinity);
  EXPECT_EQ(exp_of(-kInfinity), 0);
  EXPECT_EQ(exp_of(-746), 0);
  EXPECT_TRUE(std::isnan(exp_of(std::nan(""))));
  EXPECT_EQ(log_of(1), 0);
  EXPECT_EQ(log_of(0), -kInfinity);
  EXPECT_EQ(log_of(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(log_of(-1)));
  EXPECT_EQ(pow_of(10, 0), 1);
  EXPECT_EQ(pow_of(2, 10), 1024);
  EXPECT_EQ(pow_of(2, 5000), kInfinity);
  EXPECT_EQ(pow_of(2, -5000), 0);
  EXPECT_TRUE(std::isnan(pow_of(-2, 2)));
}

}  // namespace
}  // namespace plumbline
