#include "gpu/subject/logical_pages.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace plumbline::gpu {
namespace {

constexpr std::int64_t kPageSize = 16;

}  // namespace

LogicalPages::LogicalPages(const SelectInputs& inputs)
    : geometry_(inputs.geometry), query_(*inputs.index_query) {
  if (inputs.blocks > std::numeric_limits<std::int32_t>::max() / geometry_.compress_ratio)
    throw UnsupportedCase("the CUDA kernels serve requests of at most 2^31 - 1 tokens");
  const TensorView& key = *inputs.index_key;
  const std::int64_t dim = key.extent(1),
                     pages = std::max<std::int64_t>(1, (inputs.blocks + kPageSize - 1) / kPageSize);
  const std::size_t element = size_of(key.dtype);
  cache_ = Tensor(key.dtype, {pages, kPageSize, 1, dim});
  std::fill(cache_.bytes.begin(), cache_.bytes.end(), std::byte{0xFF});  // NaN behind the last key
  for (std::int64_t block = 0; block < inputs.blocks; ++block) {
    const std::int64_t slot = (pages - 1 - block / kPageSize) * kPageSize + block % kPageSize;
    for (std::int64_t d = 0; d < dim; ++d)
      std::memcpy(cache_.bytes.data() + static_cast<std::size_t>(slot * dim + d) * element, key.at(block, d),
                  element);
  }
  page_table_ = Tensor(DType::int32, {1, pages});
  for (std::int64_t page = 0; page < pages; ++page)
    page_table_.as<std::int32_t>()[static_cast<std::size_t>(page)] =
        static_cast<std::int32_t>(pages - 1 - page);
  token_to_request_ = Tensor(DType::int32, {inputs.rows});
  positions_ = Tensor(DType::int64, {inputs.rows});
  for (std::int64_t row = 0; row < inputs.rows; ++row) {
    std::int32_t visible = 0;
    std::memcpy(&visible, inputs.visible_blocks.at(row), sizeof visible);
    positions_.as<std::int64_t>()[static_cast<std::size_t>(row)] =
        std::clamp<std::int64_t>(visible, 0, inputs.blocks) * geometry_.compress_ratio - 1;
  }
  lengths_ = Tensor(DType::int32, {1});
  lengths_.as<std::int32_t>()[0] = static_cast<std::int32_t>(inputs.blocks * geometry_.compress_ratio);
}

PagedSelectInputs LogicalPages::inputs() const {
  PagedSelectInputs paged;
  paged.geometry = geometry_;
  paged.index_query = query_;
  paged.index_key_cache = cache_.view();
  paged.page_table = page_table_.view();
  paged.token_to_request = token_to_request_.view();
  paged.query_positions = positions_.view();
  paged.sequence_lengths = lengths_.view();
  return paged;
}

}  // namespace plumbline::gpu
