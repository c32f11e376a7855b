#include "reference/numeric/tile_product.h"

#include "reference/numeric/tile_kernel.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using Numbers = std::vector<double>;

/// Row pointers into [rows, width], the rows from last to first.
std::vector<const double*> reversed(const Numbers& matrix, std::size_t rows, std::size_t width) {
  std::vector<const double*> pointers;
  for (std::size_t r = rows; r-- > 0;) pointers.push_back(matrix.data() + r * width);
  return pointers;
}

Numbers definition(const std::vector<const double*>& a, const std::vector<const double*>& b,
                   std::size_t columns) {
  Numbers out(a.size() * columns);
  for (std::size_t r = 0; r < a.size(); ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < b.size(); ++k) sum += a[r][k] * b[k][c];
      out[r * columns + c] = sum;
    }
  }
  return out;
}

Numbers arbitrary(std::size_t count, bool floats) {
  Numbers numbers = *rc::gen::container<Numbers>(
      count, rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t n) {
        return static_cast<double>(n) * std::ldexp(1.0, static_cast<int>(n % 40) - 60);
      }));
  if (floats) {
    for (double& number : numbers) number = static_cast<float>(number);
  }
  return numbers;
}

bool same_bits(const Numbers& a, const Numbers& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();  // memcmp takes no null
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

RC_GTEST_PROP(TileProduct, HasTheBitsOfThreeLoops, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(0, 30), inner = *rc::gen::inRange<std::size_t>(0, 40),
             columns = *rc::gen::inRange<std::size_t>(0, 50);
  const bool exact = *rc::gen::arbitrary<bool>();
  const Numbers x = arbitrary(rows * inner, exact), y = arbitrary(inner * columns, exact);
  const auto a = reversed(x, rows, inner), b = reversed(y, inner, columns);
  Numbers out(rows * columns, std::nan(""));
  tile_product(a, b, static_cast<std::int64_t>(columns), exact ? Products::exact : Products::rounded,
               out.data(), static_cast<std::int64_t>(columns));
  RC_ASSERT(same_bits(out, definition(a, b, columns)));
}

TEST(TileProduct, FusesOnlyWhereThatChangesNothing) {
  // (1 + 2^-30)² needs 61 bits; a fused product keeps the last of them when 1 is taken away.
  const double x = 1 + 0x1p-30;
  std::vector<Numbers> rows(12, Numbers{1, x});
  std::vector<const double*> left;
  for (const Numbers& row : rows) left.push_back(row.data());
  const Numbers first(16, -1), second(16, x);
  const std::vector<const double*> right = {first.data(), second.data()};
  Numbers out(12 * 16);
  tile_product(left, right, 16, Products::rounded, out.data(), 16);
  for (const double number : out) EXPECT_EQ(number, x * x - 1);
  EXPECT_NE(std::fma(x, x, -1), x * x - 1);
}

TEST(TileProduct, RowsAndColumnsDoNotTouchEachOther) {
  constexpr std::size_t rows = 13, inner = 5, columns = 19;
  Numbers x(rows * inner, 1), y(inner * columns, 1);
  x[4 * inner + 2] = std::numeric_limits<double>::quiet_NaN();
  y[3 * columns + 17] = std::numeric_limits<double>::infinity();
  std::vector<const double*> a, b;
  for (std::size_t r = 0; r < rows; ++r) a.push_back(x.data() + r * inner);
  for (std::size_t k = 0; k < inner; ++k) b.push_back(y.data() + k * columns);
  Numbers out(rows * columns);
  tile_product(a, b, columns, Products::exact, out.data(), columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double number = out[r * columns + c];
      if (r == 4) {
        EXPECT_TRUE(std::isnan(number));
      } else {
        EXPECT_EQ(number, c == 17 ? std::numeric_limits<double>::infinity() : 5.0);
      }
    }
  }
}

}  // namespace
}  // namespace plumbline
