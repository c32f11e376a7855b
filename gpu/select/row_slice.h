#pragma once

#include "gpu/select/paged_inputs.h"

namespace plumbline::gpu {

/// The rows [first, first + rows) of a step, over the same requests.
inline PagedInputs row_slice(const PagedInputs& inputs, std::int64_t first, std::int64_t rows) {
  PagedInputs slice = inputs;
  slice.rows = rows;
  slice.query = static_cast<const std::uint16_t*>(inputs.query) + first * kIndexHeads * kIndexDim;
  slice.token_to_request = inputs.token_to_request + first;
  slice.positions =
      inputs.positions_are_int32
          ? static_cast<const void*>(static_cast<const std::int32_t*>(inputs.positions) + first)
          : static_cast<const void*>(static_cast<const std::int64_t*>(inputs.positions) + first);
  return slice;
}

}  // namespace plumbline::gpu
