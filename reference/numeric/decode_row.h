#pragma once

#include "fixtures/tensor.h"

#include <cstdint>
#include <span>

namespace plumbline {

/// Decodes out.size() elements of a floating type, `stride` elements apart, starting at `first`; exact, since
/// every storage type is a subset of float32.
void decode_row(DType type, const std::byte* first, std::int64_t stride, std::span<float> out);

}  // namespace plumbline
