#include "reference/numeric/exact_score.h"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace plumbline {
namespace {

using Limbs = std::array<std::uint64_t, ExactScore::kLimbs>;
constexpr int kMagnitudeBits = 277 - ExactScore::kUnitExponent;  // values stay below 2^277

/// Number of significant bits of a non-negative integer; 0 for zero.
int bit_width(const Limbs& limbs) {
  for (int i = ExactScore::kLimbs - 1; i >= 0; --i) {
    if (limbs[i] != 0) return 64 * i + 64 - std::countl_zero(limbs[i]);
  }
  return 0;
}

bool bit(const Limbs& limbs, int position) { return (limbs[position / 64] >> (position % 64) & 1) != 0; }

/// The 64 bits from `position` (>= 0) upwards.
std::uint64_t bits_from(const Limbs& limbs, int position) {
  const int limb = position / 64, offset = position % 64;
  if (limb >= ExactScore::kLimbs) return 0;
  std::uint64_t bits = limbs[limb] >> offset;
  if (offset != 0 && limb + 1 < ExactScore::kLimbs) bits |= limbs[limb + 1] << (64 - offset);
  return bits;
}

bool any_below(const Limbs& limbs, int position) {
  for (int i = 0; i < position / 64; ++i) {
    if (limbs[i] != 0) return true;
  }
  return position % 64 != 0 && limbs[position / 64] << (64 - position % 64) != 0;
}

/// The non-negative integer with all bits below `cut` rounded away (nearest, ties to even), as a value.
/// At most 54 bits may lie above `cut`.
double rounded_at(const Limbs& limbs, int cut) {
  std::uint64_t kept = bits_from(limbs, cut);
  if (cut > 0 && bit(limbs, cut - 1) && ((kept & 1) != 0 || any_below(limbs, cut - 1))) ++kept;
  return std::ldexp(static_cast<double>(kept), cut + ExactScore::kUnitExponent);
}

/// Adds (or subtracts) a 128-bit integer shifted left by `shift` bits.
void accumulate(Limbs& limbs, unsigned __int128 magnitude, int shift, bool subtract) {
  const int offset = shift % 64;
  const auto low = static_cast<std::uint64_t>(magnitude);
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const std::uint64_t words[3] = {low << offset, offset == 0 ? high : high << offset | low >> (64 - offset),
                                  offset == 0 ? 0 : high >> (64 - offset)};
  const std::uint64_t flip = subtract ? ~0ull : 0;  // x - y = x + ~y + 1, one limb at a time
  unsigned __int128 carry = subtract ? 1 : 0;
  int limb = shift / 64;
  for (int i = 0; i < 3 && limb < ExactScore::kLimbs; ++i, ++limb) {
    carry += static_cast<unsigned __int128>(limbs[limb]) + (words[i] ^ flip);
    limbs[limb] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  if (subtract) {
    for (; carry == 0 && limb < ExactScore::kLimbs; ++limb) carry = limbs[limb]-- != 0 ? 1 : 0;
  } else {
    for (; carry != 0 && limb < ExactScore::kLimbs; ++limb) carry = ++limbs[limb] == 0 ? 1 : 0;
  }
}

struct Scaled {
  std::uint64_t significand;
  int shift;  // of the significand, in units of 2^-298; >= 0
  bool negative;
};

Scaled decompose(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const int field = static_cast<int>(bits >> 52 & 0x7FF);
  std::uint64_t significand = bits & ((1ull << 52) - 1);
  if (field == 0 && significand == 0) return {0, 0, false};
  int shift = field - 1075 - ExactScore::kUnitExponent;
  // A subnormal double (field 0) is no multiple of the unit, so its shift of at most -777 is rejected below.
  if (field != 0) significand |= 1ull << 52;
  if (shift < 0) {
    const int drop = -shift;
    if (drop > 52 || (significand & ((1ull << drop) - 1)) != 0) {
      throw std::invalid_argument("exact score: a value is no multiple of 2^-298");
    }
    significand >>= drop;
    shift = 0;
  }
  if (shift + 53 > kMagnitudeBits) throw std::invalid_argument("exact score: a value is not below 2^277");
  return {significand, shift, bits >> 63 != 0};
}

}  // namespace

ExactScore ExactScore::from_scaled(__int128 significand, int exponent) {
  ExactScore score;
  if (significand == 0) return score;
  const bool negative = significand < 0;
  const auto bits = static_cast<unsigned __int128>(significand);
  const unsigned __int128 magnitude = negative ? -bits : bits;
  const int shift = exponent - kUnitExponent;
  if (shift < 0) throw std::invalid_argument("exact score: a value is no multiple of 2^-298");
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const int width =
      high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<std::uint64_t>(magnitude));
  if (shift + width > kMagnitudeBits) throw std::invalid_argument("exact score: a value is not below 2^277");
  accumulate(score.limbs_, magnitude, shift, negative);
  return score;
}

ExactScore ExactScore::from_double(double value) {
  ExactScore score;
  const Scaled scaled = decompose(value);
  accumulate(score.limbs_, scaled.significand, scaled.shift, scaled.negative);
  return score;
}

void ExactScore::add_product(double a, double b) {
  // Two 24-bit significands: the product has at most 48 bits and lies in double's normal range, so it is
  // exact.
  const Scaled scaled = decompose(a * b);
  accumulate(limbs_, scaled.significand, scaled.shift, scaled.negative);
}

ExactScore& ExactScore::operator+=(const ExactScore& other) {
  unsigned __int128 carry = 0;
  for (int i = 0; i < kLimbs; ++i) {
    carry += static_cast<unsigned __int128>(limbs_[i]) + other.limbs_[i];
    limbs_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return *this;
}

ExactScore ExactScore::operator-() const {
  ExactScore negated;
  unsigned __int128 carry = 1;
  for (int i = 0; i < kLimbs; ++i) {
    carry += ~limbs_[i];
    negated.limbs_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return negated;
}

ExactScore ExactScore::operator-(const ExactScore& other) const {
  ExactScore difference = -other;
  return difference += *this;
}

bool ExactScore::is_zero() const { return limbs_ == Limbs{}; }

std::strong_ordering ExactScore::operator<=>(const ExactScore& other) const {
  if (negative() != other.negative()) {
    return negative() ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  for (int i = kLimbs - 1; i >= 0; --i) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] <=> other.limbs_[i];
  }
  return std::strong_ordering::equal;
}

double ExactScore::to_double() const {
  const ExactScore magnitude = abs();
  const int width = bit_width(magnitude.limbs_);
  // The unit 2^-298 is far above double's smallest number: no subnormal results, and 2^277 does not overflow.
  const double value = rounded_at(magnitude.limbs_, width > 53 ? width - 53 : 0);
  return negative() ? -value : value;
}

float ExactScore::to_float() const {
  constexpr int kSmallestFloatBit = -149 - kUnitExponent;
  const ExactScore magnitude = abs();
  const int width = bit_width(magnitude.limbs_);
  const double value =
      rounded_at(magnitude.limbs_, width - 24 > kSmallestFloatBit ? width - 24 : kSmallestFloatBit);
  const float rounded = value >= 0x1p128 ? std::numeric_limits<float>::infinity() : static_cast<float>(value);
  return negative() ? -rounded : rounded;
}

std::string ExactScore::to_string() const {
  const ExactScore magnitude = abs();
  const int lead = bit_width(magnitude.limbs_) - 1;
  if (lead < 0) return "0x0p+0";
  std::string text = negative() ? "-0x1" : "0x1";
  std::string digits;
  for (int top = lead - 1; top >= 0; top -= 4) {
    unsigned digit = 0;
    for (int position = top; position > top - 4; --position) {
      digit = digit << 1 | (position >= 0 && bit(magnitude.limbs_, position) ? 1u : 0u);
    }
    digits += "0123456789abcdef"[digit];
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  if (!digits.empty()) text += "." + digits;
  const int exponent = lead + kUnitExponent;
  return text + (exponent < 0 ? "p" : "p+") + std::to_string(exponent);
}

}  // namespace plumbline
