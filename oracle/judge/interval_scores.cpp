#include "oracle/judge/interval_scores.h"

#include "fixtures/small_float.h"
#include "reference/numeric/exact_dot.h"
#include "reference/select/select_views.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace plumbline {
namespace {

constexpr int kNoUnit = 2000;  // of values that are all zero: a multiple of any power of two

std::vector<double> decoded(const TensorView& view) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(element_count(view.shape)));
  Shape index(view.shape.size(), 0);
  const std::size_t element = size_of(view.dtype);
  const std::int64_t last_axis = view.shape.back(), step = view.strides.back();
  const std::int64_t runs = last_axis == 0 ? 0 : element_count(view.shape) / last_axis;
  for (std::int64_t run = 0; run < runs; ++run) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * view.strides[axis];
    for (std::int64_t i = 0; i < last_axis; ++i) {
      values.push_back(
          decode_element(view.dtype, view.data + (offset + i * step) * static_cast<std::int64_t>(element)));
    }
    for (std::size_t axis = index.size() - 1; axis-- > 0;) {
      if (++index[axis] < view.shape[axis]) break;
      index[axis] = 0;
    }
  }
  return values;
}

/// Exponent of the lowest set bit of any value.
int unit_of(std::span<const double> values) {
  int unit = kNoUnit;
  for (const double value : values) {
    if (value == 0) continue;
    int exponent = 0;
    const double significand = std::frexp(value, &exponent);
    const auto bits = static_cast<std::uint64_t>(std::ldexp(std::abs(significand), 53));
    unit = std::min(unit, exponent - 53 + std::countr_zero(bits));
  }
  return unit;
}

bool finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

template <typename T>
std::span<const T> row_of(const std::vector<T>& values, std::int64_t row, std::int64_t width) {
  return std::span(values).subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
}

}  // namespace

IntervalScores::IntervalScores(const SelectInputs& inputs)
    : inputs_(inputs),
      heads_(inputs.geometry.index_heads),
      dim_(inputs.geometry.index_head_dim),
      queries_(decoded(*inputs.index_query)),
      keys_(decoded(*inputs.index_key)) {
  for (std::int64_t row = 0; row < inputs.rows; ++row) {
    query_finite_.push_back(finite(row_of(queries_, row, heads_ * dim_)));
  }
  const auto key = [this](std::int64_t block) { return row_of(keys_, block, dim_); };
  while (finite_keys_ < inputs.blocks && finite(key(finite_keys_))) ++finite_keys_;

  const auto count = static_cast<std::size_t>(finite_keys_);
  std::vector<std::int64_t> sorted(count);
  std::iota(sorted.begin(), sorted.end(), std::int64_t{0});
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::int64_t a, std::int64_t b) {
    return std::lexicographical_compare(key(a).begin(), key(a).end(), key(b).begin(), key(b).end());
  });
  key_class_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool same =
        i > 0 && std::equal(key(sorted[i]).begin(), key(sorted[i]).end(), key(sorted[i - 1]).begin());
    key_class_[static_cast<std::size_t>(sorted[i])] =
        same ? key_class_[static_cast<std::size_t>(sorted[i - 1])] : sorted[i];
  }
  for (std::int64_t block = 0; block < finite_keys_; ++block) {
    double largest = 0;
    for (const double value : key(block)) largest = std::max(largest, std::abs(value));
    largest_key_.push_back(largest);
    key_unit_.push_back(unit_of(key(block)));
  }
}

bool IntervalScores::has_exact_scores(std::int64_t row) const {
  return query_finite_[static_cast<std::size_t>(row)] && visible_of(inputs_, row) <= finite_keys_;
}

IntervalScores::Row::Row(const IntervalScores& scores, std::int64_t row)
    : scores_(scores),
      row_(row),
      query_unit_(unit_of(row_of(scores.queries_, row, scores.heads_ * scores.dim_))),
      intervals_(scores.key_class_.size()),
      exact_(scores.key_class_.size()) {
  for (std::int64_t head = 0; head < scores.heads_; ++head) {
    double norm = 0;
    for (const double value : row_of(scores.queries_, row * scores.heads_ + head, scores.dim_))
      norm += std::abs(value);
    query_norm_ = std::max(query_norm_, norm);
  }
}

// Every product of two inputs has at most 48 bits, so it is exact in double. The dim − 1 additions of a head
// err by at most (dim − 1)·2^-53·Σ|q·k| / (1 − dim·2^-53), and Σ_d |q·k| <= Σ_d |q| · max_d |k|; twice that
// with 2^-53·dim replaced by 2^-52·dim covers the rounding of the norms too. Where all products are multiples
// of one power of two and their sums stay below 2^53 of it, every addition is exact and the interval is a
// point. The head sum, of non-negative terms, is widened by its own heads roundings unless it is such a
// point.
const IntervalScores::Row::Interval& IntervalScores::Row::interval(std::int64_t block) {
  std::optional<Interval>& known = intervals_[static_cast<std::size_t>(block)];
  if (known) return *known;
  const std::int64_t heads = scores_.heads_, dim = scores_.dim_;
  const double largest = scores_.largest_key_[static_cast<std::size_t>(block)];
  const double head_magnitude = query_norm_ * largest;
  const int unit = query_unit_ + scores_.key_unit_[static_cast<std::size_t>(block)];
  const bool point =
      head_magnitude * static_cast<double>(heads) * (1.0 + 0x1p-30) < std::ldexp(1.0, unit + 53);
  const double error = point ? 0.0 : head_magnitude * static_cast<double>(dim) * 0x1p-52;

  const auto key = row_of(scores_.keys_, block, dim);
  Interval sum;
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto query = row_of(scores_.queries_, row_ * heads + head, dim);
    double dot = 0;
    for (std::size_t d = 0; d < query.size(); ++d) dot += query[d] * key[d];
    sum.low += std::max(0.0, dot - error);
    sum.high += std::max(0.0, dot + error);
  }
  if (!point) {
    const double slack = static_cast<double>(heads + 2) * 0x1p-52;
    sum.low *= 1.0 - slack;
    sum.high *= 1.0 + slack;
  }
  known = sum;
  return *known;
}

const ExactScore& IntervalScores::Row::exact(std::int64_t block) {
  std::optional<ExactScore>& known = exact_[static_cast<std::size_t>(block)];
  if (!known) {
    known = exact_relu_sum_by_expansion(query_of(scores_.inputs_, row_), key_of(scores_.inputs_, block));
    ++resolved_exactly_;
  }
  return *known;
}

int IntervalScores::Row::compare(std::int64_t a, std::int64_t b) {
  a = scores_.key_class_[static_cast<std::size_t>(a)];
  b = scores_.key_class_[static_cast<std::size_t>(b)];
  if (a == b) return 0;
  const Interval x = interval(a), y = interval(b);
  if (x.high < y.low) return -1;
  if (x.low > y.high) return 1;
  if (x.low == x.high && y.low == y.high) return 0;  // two points that meet
  const auto order = exact(a) <=> exact(b);
  return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

}  // namespace plumbline
