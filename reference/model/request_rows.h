#pragma once

#include "fixtures/subject.h"

#include <cstdint>
#include <vector>

namespace plumbline {

/// The query rows of one request, side by side: they share one list of keys.
struct RequestRows {
  std::int64_t request = 0;
  std::vector<std::int64_t> numbers;  ///< row numbers in the paged inputs, ascending
  Tensor query;                       ///< [rows, heads, dim]
  Tensor visible;                     ///< [rows] int32, visible_blocks_of_row()
  std::int64_t blocks = 0;            ///< the largest of them
};

/// One entry per request that has rows, by request. Padded rows are in none.
std::vector<RequestRows> rows_by_request(const PagedSelectInputs& inputs);

/// Whether the row belongs to no request.
bool is_padded_row(const PagedSelectInputs& inputs, std::int64_t row);

}  // namespace plumbline
