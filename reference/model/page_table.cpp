#include "reference/model/page_table.h"

#include "fixtures/error.h"
#include "reference/model/integer_view.h"
#include "reference/model/visibility.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::int64_t capacity(const PagedSelectInputs& inputs) {
  return inputs.page_table.extent(1) * inputs.index_key_cache.extent(1);
}

}  // namespace

LogicalKeys gather_keys(const PagedSelectInputs& inputs, std::int64_t request, std::int64_t blocks) {
  const TensorView& cache = inputs.index_key_cache;
  if (request < 0 || request >= inputs.page_table.extent(0) || blocks < 0 || blocks > capacity(inputs)) {
    throw InputError(fmt::format("page table {}: cannot gather {} blocks of request {}",
                                 to_string(inputs.page_table.shape), blocks, request));
  }
  const std::int64_t pages = cache.extent(0), page_size = cache.extent(1), dim = cache.extent(3);
  const std::size_t element = size_of(cache.dtype);

  LogicalKeys logical{Tensor(cache.dtype, {blocks, dim}),
                      std::vector<std::uint8_t>(static_cast<std::size_t>(blocks), 0)};
  std::byte* out = logical.keys.bytes.data();
  for (std::int64_t block = 0; block < blocks; ++block, out += static_cast<std::size_t>(dim) * element) {
    const std::int64_t page = integer_at(inputs.page_table, request, block / page_size);
    if (page < 0 || page >= pages) continue;
    logical.valid[static_cast<std::size_t>(block)] = 1;
    for (std::int64_t d = 0; d < dim; ++d) {
      std::memcpy(out + static_cast<std::size_t>(d) * element, cache.at(page, block % page_size, 0, d),
                  element);
    }
  }
  return logical;
}

std::int64_t visible_blocks_of_row(const PagedSelectInputs& inputs, std::int64_t row) {
  const std::int64_t request = integer_at(inputs.token_to_request, row);
  if (request < 0 || request >= inputs.sequence_lengths.extent(0)) return 0;
  return std::min(capacity(inputs), visible_blocks(integer_at(inputs.query_positions, row),
                                                   integer_at(inputs.sequence_lengths, request),
                                                   inputs.geometry.compress_ratio));
}

}  // namespace plumbline
