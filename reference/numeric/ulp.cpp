#include "reference/numeric/ulp.h"

#include <cmath>
#include <stdexcept>

namespace plumbline {
namespace {

/// The binary format of a floating storage type.
struct Format {
  int bits;
  int mantissa_bits;
  int smallest_normal;            ///< exponent of the smallest normal number
  int largest;                    ///< exponent of the largest finite number
  std::uint32_t largest_ordered;  ///< magnitude bits of the largest value that is no NaN
};

Format format_of(DType type) {
  switch (type) {
    case DType::float32:
      return {32, 23, -126, 127, 0x7F800000};
    case DType::float16:
      return {16, 10, -14, 15, 0x7C00};
    case DType::bfloat16:
      return {16, 7, -126, 127, 0x7F80};
    case DType::float8_e4m3fn:
      return {8, 3, -6, 8, 0x7E};
    case DType::float8_e5m2:
      return {8, 2, -14, 15, 0x7C};
    default:
      throw std::invalid_argument("ULP: a floating type is needed");
  }
}

}  // namespace

std::int64_t ulp_distance(DType type, std::uint32_t a_bits, std::uint32_t b_bits) {
  const Format format = format_of(type);
  const std::uint32_t sign = 1u << (format.bits - 1);
  const std::uint32_t code = sign | (sign - 1);
  if ((a_bits & code) == (b_bits & code)) return 0;
  const std::int64_t a = a_bits & (sign - 1), b = b_bits & (sign - 1);
  if (a > format.largest_ordered || b > format.largest_ordered) return kUlpNaN;
  const std::int64_t distance = ((a_bits ^ b_bits) & sign) != 0 ? a + b : a - b;
  return distance < 0 ? -distance : distance;
}

double ulp_of(DType type, double value) {
  const Format format = format_of(type);
  if (std::isnan(value)) return value;
  int exponent = format.smallest_normal;
  if (std::isinf(value)) {
    exponent = format.largest;
  } else if (value != 0) {
    exponent = std::ilogb(value);
    if (exponent < format.smallest_normal) exponent = format.smallest_normal;
    if (exponent > format.largest) exponent = format.largest;
  }
  return std::ldexp(1.0, exponent - format.mantissa_bits);
}

double unit_roundoff(DType type) { return std::ldexp(1.0, -1 - format_of(type).mantissa_bits); }

}  // namespace plumbline
