#pragma once

#include "fixtures/tensor.h"

#include <cstdint>
#include <cstring>

namespace plumbline {

/// One element of an int32 or int64 view, at the given indices; alignment does not matter.
template <typename... Index>
std::int64_t integer_at(const TensorView& view, Index... index) {
  const std::byte* address = view.at(index...);
  if (view.dtype == DType::int64) {
    std::int64_t value;
    std::memcpy(&value, address, sizeof value);
    return value;
  }
  std::int32_t value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

}  // namespace plumbline
