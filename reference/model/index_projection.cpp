#include "reference/model/index_projection.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

std::vector<double> decoded(const TensorView& matrix) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(element_count(matrix.shape)));
  for (std::int64_t row = 0; row < matrix.extent(0); ++row) {
    for (std::int64_t column = 0; column < matrix.extent(1); ++column) {
      values.push_back(decode_element(matrix.dtype, matrix.at(row, column)));
    }
  }
  return values;
}

void require_width(const TensorView& projected, std::int64_t heads, std::int64_t dim) {
  if (projected.shape.size() != 2 || projected.extent(1) != (heads + 1) * dim) {
    throw InputError(fmt::format("index projection: expected [tokens, {}] for {} heads of {}, found {}",
                                 (heads + 1) * dim, heads, dim, to_string(projected.shape)));
  }
}

}  // namespace

BoundedTensor index_projection(const TensorView& hidden, const TensorView& weight,
                               const EngineArithmetic& arithmetic) {
  if (hidden.shape.size() != 2 || weight.shape.size() != 2 || hidden.extent(1) != weight.extent(1)) {
    throw InputError(fmt::format("index projection: input {} does not fit weight {}", to_string(hidden.shape),
                                 to_string(weight.shape)));
  }
  const std::int64_t tokens = hidden.extent(0), outputs = weight.extent(0);
  const auto width = static_cast<std::size_t>(hidden.extent(1));
  const std::vector<double> x = decoded(hidden), w = decoded(weight);
  BoundedTensor projected(arithmetic.storage(), {tokens, outputs});
  for (std::int64_t token = 0; token < tokens; ++token) {
    const std::span row = std::span(x).subspan(static_cast<std::size_t>(token) * width, width);
    for (std::int64_t output = 0; output < outputs; ++output) {
      const std::span column = std::span(w).subspan(static_cast<std::size_t>(output) * width, width);
      projected.set(token * outputs + output, arithmetic.store(arithmetic.dot_of_stored(row, column)));
    }
  }
  return projected;
}

TensorView query_part(const TensorView& projected, std::int64_t heads, std::int64_t dim) {
  require_width(projected, heads, dim);
  const std::int64_t row = projected.strides[0], element = projected.strides[1];
  return {projected.dtype, {projected.extent(0), heads, dim}, {row, dim * element, element}, projected.data};
}

TensorView raw_key_part(const TensorView& projected, std::int64_t heads, std::int64_t dim) {
  require_width(projected, heads, dim);
  return {projected.dtype, {projected.extent(0), dim}, projected.strides, projected.at(0, heads * dim)};
}

}  // namespace plumbline
