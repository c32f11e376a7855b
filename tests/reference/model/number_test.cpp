#include "reference/model/number.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

void expect_rounded(DType type, double x) {
  for (const double number : {x, -x}) {
    const std::uint64_t ours = std::bit_cast<std::uint64_t>(rounded(type, number)),
                        expected = std::bit_cast<std::uint64_t>(round_to(type, number));
    if (ours != expected) ADD_FAILURE() << name_of(type) << " " << number;
  }
}

// Every 16-bit number, the middle between it and the next, and their neighbours in double.
TEST(Rounded, AgreesWithTheEncoderAtEveryNumberAndEveryTie) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::uint32_t bits = 0; bits < 0x7F80; ++bits) {
    const double number = decode_bfloat16(static_cast<std::uint16_t>(bits)),
                 next = bits == 0x7F7F ? 2 * number - decode_bfloat16(0x7F7E)
                                       : decode_bfloat16(static_cast<std::uint16_t>(bits + 1));
    for (const double x : {number, number / 2 + next / 2}) {
      for (const double near : {std::nextafter(x, -infinity), x, std::nextafter(x, infinity)})
        expect_rounded(DType::bfloat16, near);
    }
  }
  for (const double x : {0.0, infinity, std::nan(""), 5e-324, 1e-310, 0x1p-134, 0x1p-133, 3e38, 1e300}) {
    for (const DType type : {DType::bfloat16, DType::float16, DType::float32}) expect_rounded(type, x);
  }
}

struct Pair {
  double first, second;
};
[[gnu::noinline]] Pair two_rounded(double x) {
  return {rounded(DType::float32, x * 1.1), rounded(DType::float32, x * 1.3)};
}

// A compiler that makes a vector of two numbers may lose their roundings on the way.
TEST(Rounded, TwoNumbersSideBySideAreBothRounded) {
  for (const double x : {0.7, 1.0, 3.3}) {
    const Pair pair = two_rounded(x);
    EXPECT_EQ(pair.first, round_to(DType::float32, x * 1.1));
    EXPECT_EQ(pair.second, round_to(DType::float32, x * 1.3));
  }
}

}  // namespace
}  // namespace plumbline
