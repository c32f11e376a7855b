#pragma once

#include "fixtures/subject.h"

#include <cstdint>
#include <vector>

namespace plumbline {

/// The compressed keys of one request in logical order, gathered through its page table.
struct LogicalKeys {
  Tensor keys;                      ///< [blocks, dim]; zero bits behind unmapped pages
  std::vector<std::uint8_t> valid;  ///< [blocks], 0 where the page is unmapped (< 0 or >= pages)
};

/// Gathers the first `blocks` logical keys of `request` (blocks <= width · page_size).
LogicalKeys gather_keys(const PagedSelectInputs& inputs, std::int64_t request, std::int64_t blocks);

/// Visible blocks of a row by visible_blocks(), also limited by the page table's capacity width · page_size;
/// 0 when the row's request is out of range.
std::int64_t visible_blocks_of_row(const PagedSelectInputs& inputs, std::int64_t row);

}  // namespace plumbline
