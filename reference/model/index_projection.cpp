#include "reference/model/index_projection.h"

#include "fixtures/error.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

void require_width(const TensorView& projected, std::int64_t heads, std::int64_t dim) {
  if (projected.shape.size() != 2 || projected.extent(1) != (heads + 1) * dim) {
    throw InputError(fmt::format("index projection: expected [tokens, {}] for {} heads of {}, found {}",
                                 (heads + 1) * dim, heads, dim, to_string(projected.shape)));
  }
}

}  // namespace

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
