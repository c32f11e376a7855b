#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::dispatch {

/// Element types the gates tell apart. e4m3 caches arrive as uint8.
enum class ElementType : std::uint8_t { float16, bfloat16, float32, float8_e4m3fn, uint8, int32, int64 };
/// f16, bf16, f32, e4m3, u8, i32, i64.
std::string_view name_of(ElementType type);

/// Type, shape and strides (in elements) of a tensor; no data.
struct TensorShape {
  ElementType type = ElementType::float16;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;

  std::size_t rank() const { return shape.size(); }
  /// Extent of an axis; 0 where the tensor has no such axis.
  std::int64_t extent(std::size_t axis) const { return axis < shape.size() ? shape[axis] : 0; }
  std::int64_t stride(std::size_t axis) const { return axis < strides.size() ? strides[axis] : 0; }
  /// Trailing extents equal `tail` and there are `rank` axes in all.
  bool has_tail(std::size_t rank, const std::vector<std::int64_t>& tail) const;
  bool operator==(const TensorShape&) const = default;
};

/// Row-major strides. Throws std::invalid_argument when an extent is negative or the size needs more than 63
/// bits.
TensorShape contiguous(ElementType type, std::vector<std::int64_t> shape);

/// "[1616, 4, 128]".
std::string to_string(const std::vector<std::int64_t>& extents);

}  // namespace plumbline::dispatch
