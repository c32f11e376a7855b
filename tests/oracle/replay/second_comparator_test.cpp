// The comparison of tensors once more, by other arithmetic: exact rationals instead of doubles, and a table
// of every float16 number instead of bit patterns.

#include "oracle/replay/tap_report.h"
#include "tests/reference/numeric/rational.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using testing::Rational;

/// Every finite float16 number but -0, ascending, built from sign, exponent and mantissa.
const std::vector<double>& halves() {
  static const std::vector<double> numbers = [] {
    std::vector<double> all;
    for (int exponent = 0; exponent < 31; ++exponent)
      for (int mantissa = 0; mantissa < 1024; ++mantissa) {
        const double magnitude =
            exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
        all.push_back(magnitude);
        if (magnitude != 0) all.push_back(-magnitude);
      }
    std::sort(all.begin(), all.end());
    return all;
  }();
  return numbers;
}

/// Place in the table of the number nearest to `value`; of two as near the one of even mantissa, which is
/// that of even place counted from zero.
std::ptrdiff_t nearest(const Rational& value) {
  const auto& all = halves();
  std::ptrdiff_t low = 0, high = std::ssize(all) - 1;
  while (high - low > 1) {
    const std::ptrdiff_t middle = (low + high) / 2;
    (compare(Rational(all[static_cast<std::size_t>(middle)]), value) <= 0 ? low : high) = middle;
  }
  const Rational below = value - Rational(all[static_cast<std::size_t>(low)]),
                 above = Rational(all[static_cast<std::size_t>(high)]) - value;
  const int order = compare(below, above);
  if (order != 0) return order < 0 ? low : high;
  const std::ptrdiff_t zero = std::ssize(all) / 2;
  return (low - zero) % 2 == 0 ? low : high;
}

Rational magnitude(const Rational& a) { return a.sign() < 0 ? Rational() - a : a; }

struct Element {
  double theirs = 0;
  Bounded ours;
};

/// Within 2^9, so that every difference of multiples of 2^-30 is a double.
rc::Gen<Element> element() {
  return rc::gen::exec([] {
    const auto& all = halves();
    const std::ptrdiff_t zero = std::ssize(all) / 2, reach = 24 * 1024;
    Element one;
    one.theirs = all[static_cast<std::size_t>(zero + *rc::gen::inRange<std::ptrdiff_t>(-reach, reach))];
    const double off = std::ldexp(*rc::gen::inRange(-4000, 4000), *rc::gen::element(-30, -24, -18, -14));
    one.ours.value = one.theirs + (*rc::gen::inRange(0, 3) == 0 ? 0 : off);
    // Just within, just beyond and far from the bound.
    one.ours.error = std::abs(off) + std::ldexp(*rc::gen::inRange(-2, 3), -30);
    if (one.ours.error <= 0) one.ours.error = 0x1p-30;
    return one;
  });
}

struct Expected {
  std::int64_t bit_equal = 0, beyond = 0, max_ulp = 0, p99_ulp = 0;
  double max_abs = 0;
  std::size_t worst = 0;
};

Expected expected_of(const std::vector<Element>& elements) {
  Expected expected;
  std::map<std::int64_t, std::int64_t> distances;
  Rational largest, worst_difference, worst_bound(1);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Rational theirs(elements[i].theirs), ours(elements[i].ours.value), bound(elements[i].ours.error);
    const std::ptrdiff_t place = nearest(ours);
    const std::int64_t steps = std::abs(place - nearest(theirs));
    ++distances[steps];
    expected.bit_equal += steps == 0;
    const Rational difference = magnitude(theirs - ours);
    expected.beyond += compare(difference, bound) > 0;
    if (i == 0 || compare(difference * worst_bound, worst_difference * bound) > 0) {
      expected.worst = i;
      worst_difference = difference;
      worst_bound = bound;
    }
    const Rational stored = magnitude(theirs - Rational(halves()[static_cast<std::size_t>(place)]));
    if (compare(stored, largest) > 0) largest = stored;
  }
  expected.max_abs = largest.to_double();
  expected.max_ulp = distances.rbegin()->first;
  // The smallest distance that 99 of 100 do not exceed.
  std::int64_t seen = 0;
  for (const auto& [steps, count] : distances) {
    seen += count;
    if (seen * 100 > (std::ssize(elements) - 1) * 99) {
      expected.p99_ulp = steps;
      break;
    }
  }
  return expected;
}

RC_GTEST_PROP(SecondComparator, AgreesOnEveryFigure, ()) {
  const auto elements = *rc::gen::nonEmpty(rc::gen::container<std::vector<Element>>(element()));
  Rows<Bounded> ours(std::ssize(elements), 1);
  Rows<double> theirs(std::ssize(elements), 1);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    ours.numbers[i] = elements[i].ours;
    theirs.numbers[i] = elements[i].theirs;
  }
  TapComparison comparison("0000", "tap", "operation", DType::float16);
  comparison.add(ours, theirs, 0, 5);
  const TapReport report = comparison.report();
  const Expected expected = expected_of(elements);
  RC_ASSERT(report.elements == std::ssize(elements));
  RC_ASSERT(report.bit_equal == expected.bit_equal);
  RC_ASSERT(report.beyond_bound == expected.beyond);
  RC_ASSERT(report.max_ulp == expected.max_ulp);
  RC_ASSERT(report.p99_ulp == expected.p99_ulp);
  RC_ASSERT(report.max_abs == expected.max_abs);
  // Where several use the same share, as far as a double can tell, any of them may be named.
  const Element &named = elements[static_cast<std::size_t>(report.worst.token - 5)],
                &worst = elements[expected.worst];
  const auto share = [](const Element& one) {
    return std::abs(one.theirs - one.ours.value) / one.ours.error;
  };
  RC_ASSERT(report.used_share == share(worst));
  RC_ASSERT(share(named) == share(worst));
}

}  // namespace
}  // namespace plumbline
