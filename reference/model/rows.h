#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// [rows, width] numbers, row-major: one row a token (or a token's head).
template <typename Number>
struct Rows {
  std::int64_t rows = 0, width = 0;
  std::vector<Number> numbers;

  Rows() = default;
  Rows(std::int64_t row_count, std::int64_t row_width)
      : rows(row_count), width(row_width), numbers(static_cast<std::size_t>(row_count * row_width)) {}

  std::span<Number> row(std::int64_t index) {
    return {numbers.data() + index * width, static_cast<std::size_t>(width)};
  }
  std::span<const Number> row(std::int64_t index) const {
    return {numbers.data() + index * width, static_cast<std::size_t>(width)};
  }
  /// Elements [first, first + count) of a row.
  std::span<Number> part(std::int64_t index, std::int64_t first, std::int64_t count) {
    return row(index).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  std::span<const Number> part(std::int64_t index, std::int64_t first, std::int64_t count) const {
    return row(index).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
};

}  // namespace plumbline
