#include "gpu/dispatch/tensor_shape.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumbline::dispatch {

std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::float16:
      return "f16";
    case ElementType::bfloat16:
      return "bf16";
    case ElementType::float32:
      return "f32";
    case ElementType::float8_e4m3fn:
      return "e4m3";
    case ElementType::uint8:
      return "u8";
    case ElementType::int32:
      return "i32";
    case ElementType::int64:
      return "i64";
  }
  return "?";
}

bool TensorShape::has_tail(std::size_t axes, const std::vector<std::int64_t>& tail) const {
  return rank() == axes && tail.size() <= axes && std::equal(tail.rbegin(), tail.rend(), shape.rbegin());
}

TensorShape contiguous(ElementType type, std::vector<std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t elements = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = elements;
    if (shape[axis] < 0 ||
        __builtin_mul_overflow(elements, std::max<std::int64_t>(shape[axis], 1), &elements)) {
      throw std::invalid_argument(fmt::format(
          "shape {}: extents must be non-negative and their product below 2^63", to_string(shape)));
    }
  }
  return {type, std::move(shape), std::move(strides)};
}

std::string to_string(const std::vector<std::int64_t>& extents) {
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

}  // namespace plumbline::dispatch
