#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace plumbline::testing {

/// An exact dyadic rational, sign · digits · 2^exponent, written for the tests alone: sign and magnitude,
/// digits of 32 bits in a vector that grows, schoolbook arithmetic. Shares nothing with ExactScore.
class Rational {
 public:
  Rational() = default;
  explicit Rational(double value) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    auto significand = static_cast<std::uint64_t>(std::ldexp(std::fabs(fraction), 53));
    negative_ = value < 0;
    exponent_ = exponent - 53;
    for (; significand != 0; significand >>= 32) digits_.push_back(static_cast<std::uint32_t>(significand));
  }

  bool is_zero() const { return digits_.empty(); }
  bool negative() const { return negative_ && !is_zero(); }

  friend Rational operator*(const Rational& a, const Rational& b) {
    Rational product;
    product.negative_ = a.negative_ != b.negative_;
    product.exponent_ = a.exponent_ + b.exponent_;
    product.digits_.assign(a.digits_.size() + b.digits_.size(), 0);
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < b.digits_.size() || carry != 0; ++j) {
        const std::uint64_t term = j < b.digits_.size() ? std::uint64_t{a.digits_[i]} * b.digits_[j] : 0;
        const std::uint64_t sum = product.digits_[i + j] + term % kBase + carry;
        product.digits_[i + j] = static_cast<std::uint32_t>(sum);
        carry = sum / kBase + term / kBase;
      }
    }
    product.trim();
    return product;
  }

  friend Rational operator+(Rational a, Rational b) {
    const int exponent = std::min(a.exponent_, b.exponent_);
    a.lower_exponent(exponent);
    b.lower_exponent(exponent);
    Rational sum;
    sum.exponent_ = exponent;
    if (a.negative_ == b.negative_) {
      sum.negative_ = a.negative_;
      sum.digits_ = added(a.digits_, b.digits_);
    } else {
      const bool a_larger = compare_digits(a.digits_, b.digits_) >= 0;
      sum.negative_ = a_larger ? a.negative_ : b.negative_;
      sum.digits_ = a_larger ? subtracted(a.digits_, b.digits_) : subtracted(b.digits_, a.digits_);
    }
    sum.trim();
    return sum;
  }
  friend Rational operator-(const Rational& a, Rational b) {
    b.negative_ = !b.negative_;
    return a + b;
  }

  /// -1, 0 or 1.
  int sign() const { return is_zero() ? 0 : negative_ ? -1 : 1; }
  friend int compare(const Rational& a, const Rational& b) { return (a - b).sign(); }

  /// Rounded to nearest, ties to even, with `precision` bits and no bit below 2^smallest_exponent.
  double rounded(int precision, int smallest_exponent) const {
    if (is_zero()) return 0;
    int width = 32 * static_cast<int>(digits_.size());
    while (!bit(width - 1)) --width;
    const int drop = std::max(width - precision, smallest_exponent - exponent_);
    std::uint64_t kept = 0;
    for (int i = width - 1; i >= drop && i >= 0; --i) kept = 2 * kept + (bit(i) ? 1 : 0);
    bool above_half = false;
    for (int i = 0; i < drop - 1 && i < width; ++i) above_half = above_half || bit(i);
    if (drop > 0 && bit(drop - 1) && (above_half || kept % 2 == 1)) ++kept;
    const double value = std::ldexp(static_cast<double>(kept), exponent_ + std::max(drop, 0));
    return negative_ ? -value : value;
  }
  double to_double() const { return rounded(53, -1074); }
  float to_float() const {
    const double value = rounded(24, -149);
    if (std::fabs(value) >= std::ldexp(1.0, 128)) {
      return std::copysign(std::numeric_limits<float>::infinity(), negative_ ? -1.0f : 1.0f);
    }
    return static_cast<float>(value);
  }

 private:
  using Digits = std::vector<std::uint32_t>;
  static constexpr std::uint64_t kBase = std::uint64_t{1} << 32;

  bool bit(int position) const {
    const auto digit = static_cast<std::size_t>(position) / 32;
    return digit < digits_.size() && (digits_[digit] >> (position % 32)) % 2 == 1;
  }
  void trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  }
  void lower_exponent(int exponent) {
    if (is_zero()) {
      exponent_ = exponent;
      return;
    }
    const int by = exponent_ - exponent;
    Digits shifted(static_cast<std::size_t>(by / 32), 0);
    std::uint32_t carry = 0;
    for (const std::uint32_t digit : digits_) {
      const std::uint64_t wide = (std::uint64_t{digit} << (by % 32)) | carry;
      shifted.push_back(static_cast<std::uint32_t>(wide));
      carry = static_cast<std::uint32_t>(wide >> 32);
    }
    shifted.push_back(carry);
    digits_ = shifted;
    exponent_ = exponent;
    trim();
  }
  static int compare_digits(const Digits& a, const Digits& b) {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    for (std::size_t i = a.size(); i-- > 0;) {
      if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
  }
  static Digits added(const Digits& a, const Digits& b) {
    Digits sum;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      carry += (i < a.size() ? a[i] : 0ull) + (i < b.size() ? b[i] : 0ull);
      sum.push_back(static_cast<std::uint32_t>(carry));
      carry /= kBase;
    }
    sum.push_back(static_cast<std::uint32_t>(carry));
    return sum;
  }
  static Digits subtracted(const Digits& larger, const Digits& smaller) {
    Digits difference;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < larger.size(); ++i) {
      std::int64_t digit = std::int64_t{larger[i]} - (i < smaller.size() ? smaller[i] : 0) - borrow;
      borrow = digit < 0 ? 1 : 0;
      if (digit < 0) digit += static_cast<std::int64_t>(kBase);
      difference.push_back(static_cast<std::uint32_t>(digit));
    }
    return difference;
  }

  Digits digits_;  // least significant first, no leading zeros
  int exponent_ = 0;
  bool negative_ = false;
};

}  // namespace plumbline::testing
