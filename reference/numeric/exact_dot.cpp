#include "reference/numeric/exact_dot.h"

#include "fixtures/small_float.h"
#include "reference/numeric/decode_row.h"
#include "reference/numeric/exact_query.h"
#include "reference/numeric/expansion.h"

#include <cmath>
#include <limits>
#include <vector>

namespace plumbline {
namespace {

std::vector<float> decode_vector(const TensorView& values) {
  std::vector<float> decoded(static_cast<std::size_t>(values.extent(0)));
  decode_row(values.dtype, values.data, values.strides[0], decoded);
  return decoded;
}

std::vector<float> decode_matrix(const TensorView& values) {
  const auto rows = static_cast<std::size_t>(values.extent(0)),
             columns = static_cast<std::size_t>(values.extent(1));
  std::vector<float> decoded(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    decode_row(values.dtype, values.at(row), values.strides[1],
               std::span(decoded).subspan(row * columns, columns));
  }
  return decoded;
}

bool finite_from(const TensorView& values, std::size_t axis, const std::byte* first) {
  if (axis == values.shape.size()) return std::isfinite(decode_element(values.dtype, first));
  const std::int64_t step = values.strides[axis] * static_cast<std::int64_t>(size_of(values.dtype));
  for (std::int64_t i = 0; i < values.extent(axis); ++i) {
    if (!finite_from(values, axis + 1, first + i * step)) return false;
  }
  return true;
}

}  // namespace

ExactScore exact_relu_sum(const TensorView& query, const TensorView& key) {
  const std::vector<float> key_values = decode_vector(key);
  return ExactQuery(decode_matrix(query), query.extent(0)).score(key_values, window_of(key_values));
}

ExactScore exact_relu_sum_by_expansion(const TensorView& query, const TensorView& key) {
  Expansion sum;
  for (std::int64_t head = 0; head < query.extent(0); ++head) {
    Expansion dot;
    for (std::int64_t i = 0; i < key.extent(0); ++i) {
      // Exact: two significands of at most 24 bits, magnitudes from 2^-298 to 2^256.
      dot.add(decode_element(query.dtype, query.at(head, i)) * decode_element(key.dtype, key.at(i)));
    }
    if (dot.sign() > 0) sum.add(dot);
  }
  ExactScore score;
  for (const double component : sum.components()) score += ExactScore::from_double(component);
  return score;
}

double magnitude_sum(const TensorView& query, const TensorView& key) {
  // Compensated summation of exact products. With N <= 2^21 terms of sum S, the error terms add up to at most
  // N·2^-53·S, and rounding while adding them costs at most N²·2^-106·S <= 2^-64·S. The final addition rounds
  // by 2^-53, the last product by 2^-53: a factor 1 + 2^-50 lifts the result above S and leaves it below S·(1
  // + 2^-49).
  double sum = 0, error = 0;
  for (std::int64_t head = 0; head < query.extent(0); ++head) {
    for (std::int64_t i = 0; i < key.extent(0); ++i) {
      const double product =
          std::fabs(decode_element(query.dtype, query.at(head, i)) * decode_element(key.dtype, key.at(i)));
      const TwoSum next = two_sum(sum, product);
      sum = next.sum;
      error += next.error;
    }
  }
  return (sum + error) * (1 + 0x1p-50);
}

bool all_finite(const TensorView& values) { return finite_from(values, 0, values.data); }

}  // namespace plumbline
