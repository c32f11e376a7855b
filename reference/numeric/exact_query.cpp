#include "reference/numeric/exact_query.h"

#include "reference/numeric/wide_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace plumbline {
namespace {

constexpr int kDoubleBits = 53;
constexpr int kIntegerBits = 126;
constexpr int kMultipleBits = 62;

template <typename Value>
std::vector<std::int64_t> multiples_of(int unit, std::span<const Value> values) {
  const double reciprocal = std::ldexp(1.0, -unit);
  std::vector<std::int64_t> multiples;
  multiples.reserve(values.size());
  for (const Value value : values) multiples.push_back(static_cast<std::int64_t>(value * reciprocal));
  return multiples;
}

/// Any order gives the same bits, because no addition rounds.
double exact_double_dot(const double* query, const float* key, std::int64_t dim) {
  double lanes[4] = {0, 0, 0, 0};
  std::int64_t i = 0;
  for (; i + 4 <= dim; i += 4) {
    for (int lane = 0; lane < 4; ++lane) lanes[lane] += query[i + lane] * static_cast<double>(key[i + lane]);
  }
  for (; i < dim; ++i) lanes[0] += query[i] * static_cast<double>(key[i]);
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace

ExactQuery::ExactQuery(std::span<const float> values, std::int64_t heads)
    : heads_(heads),
      dim_(static_cast<std::int64_t>(values.size()) / heads),
      window_(window_of(values)),
      count_bits_(static_cast<int>(std::bit_width(values.size() - (values.empty() ? 0 : 1)))),
      values_(values.begin(), values.end()) {}

ExactQuery::Arithmetic ExactQuery::arithmetic(DyadicWindow key_window) const {
  const int bits = window_.width() + key_window.width() + count_bits_;
  if (bits <= kDoubleBits) return Arithmetic::float64;
  const bool multiples_fit = std::max(window_.width(), key_window.width()) <= kMultipleBits;
  return multiples_fit && bits <= kIntegerBits ? Arithmetic::integer128 : Arithmetic::wide_sum;
}

ExactScore ExactQuery::score(std::span<const float> key, DyadicWindow key_window) const {
  switch (arithmetic(key_window)) {
    case Arithmetic::float64: {
      double sum = 0;
      for (std::int64_t head = 0; head < heads_; ++head) {
        const double dot = exact_double_dot(values_.data() + head * dim_, key.data(), dim_);
        if (dot > 0) sum += dot;
      }
      return ExactScore::from_double(sum);
    }
    case Arithmetic::integer128: {
      const auto multiples = multiples_of(window_.unit, std::span(values_));
      const auto key_multiples = multiples_of(key_window.unit, key);
      __int128 sum = 0;
      for (std::int64_t head = 0; head < heads_; ++head) {
        __int128 dot = 0;
        for (std::int64_t i = 0; i < dim_; ++i) {
          dot += static_cast<__int128>(multiples[static_cast<std::size_t>(head * dim_ + i)]) *
                 key_multiples[static_cast<std::size_t>(i)];
        }
        if (dot > 0) sum += dot;
      }
      return ExactScore::from_scaled(sum, window_.unit + key_window.unit);
    }
    case Arithmetic::wide_sum:
      break;
  }
  ExactScore sum;
  for (std::int64_t head = 0; head < heads_; ++head) {
    WideSum dot;
    for (std::int64_t i = 0; i < dim_; ++i) {
      dot.add_product(values_[static_cast<std::size_t>(head * dim_ + i)],
                      static_cast<double>(key[static_cast<std::size_t>(i)]));
    }
    const ExactScore value = dot.value();
    if (!value.negative()) sum += value;
  }
  return sum;
}

}  // namespace plumbline
