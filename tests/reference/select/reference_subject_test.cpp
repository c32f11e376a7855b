#include "reference/select/reference_subject.h"

#include "fixtures/cases/generate.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

GeneratedPaged any_paged() {
  const auto number = [](int low, int high) { return *rc::gen::inRange(low, high); };
  // At least as many blocks as rows: every row of a request is a token of it.
  const char* data = *rc::gen::elementOf(std::vector<const char*>{"relu", "repeat", "zero_plateau"});
  const std::string text = fmt::format(
      "paged:heads=2,dim=16,ratio={},topk={},blocks={},rows={},page={},requests={},data={},seed={}",
      number(1, 6), number(1, 40), number(12, 120), number(4, 12), number(1, 17), number(1, 4), data,
      number(1, 1000));
  RC_LOG() << text << std::endl;
  return generate_paged(parse_case(text));
}

std::int32_t at(const Tensor& tensor, std::int64_t row, std::int64_t column) {
  return tensor.as<std::int32_t>()[static_cast<std::size_t>(row * tensor.extent(1) + column)];
}

/// The keys of a request in logical order, read through the page table as MODEL.md §2 says.
Tensor logical_keys(const GeneratedPaged& paged, std::int64_t request, std::int64_t blocks) {
  const std::int64_t page_size = paged.index_key_cache.extent(1), dim = paged.index_key_cache.extent(3);
  const std::size_t bytes = static_cast<std::size_t>(dim) * size_of(paged.index_key_cache.dtype);
  Tensor keys(paged.index_key_cache.dtype, {blocks, dim});
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t slot =
        at(paged.page_table, request, block / page_size) * page_size + block % page_size;
    std::memcpy(keys.bytes.data() + static_cast<std::size_t>(block) * bytes,
                paged.index_key_cache.bytes.data() + static_cast<std::size_t>(slot) * bytes, bytes);
  }
  return keys;
}

std::vector<std::int32_t> row_of(const Tensor& tensor, std::int64_t row) {
  const auto first = tensor.as<std::int32_t>().begin() + row * tensor.extent(1);
  return {first, first + tensor.extent(1)};
}

RC_GTEST_PROP(ReferenceSubject, SelectsThroughPagesWhatItSelectsOnTheSameKeysInLogicalOrder, ()) {
  const GeneratedPaged paged = any_paged();
  const PagedSelectOutputs through_pages = ReferenceSubject().select_paged(paged.inputs());
  const std::int64_t ratio = paged.geometry.compress_ratio;
  for (std::int64_t row = 0; row < paged.index_query.extent(0); ++row) {
    const std::int32_t request = paged.token_to_request.as<std::int32_t>()[static_cast<std::size_t>(row)];
    const std::int64_t position = paged.query_positions.as<std::int64_t>()[static_cast<std::size_t>(row)];
    const std::int64_t length = paged.sequence_lengths.as<std::int32_t>()[static_cast<std::size_t>(request)];
    const std::int64_t blocks = std::min((position + 1) / ratio, length / ratio);
    const Tensor keys = logical_keys(paged, request, blocks);
    Tensor query(paged.index_query.dtype, {1, paged.index_query.extent(1), paged.index_query.extent(2)});
    std::memcpy(query.bytes.data(),
                paged.index_query.bytes.data() + static_cast<std::size_t>(row) * query.bytes.size(),
                query.bytes.size());
    Tensor visible(DType::int32, {1});
    visible.as<std::int32_t>()[0] = static_cast<std::int32_t>(blocks);
    SelectInputs inputs;
    inputs.geometry = paged.geometry;
    inputs.rows = 1;
    inputs.blocks = blocks;
    inputs.index_query = query.view();
    inputs.index_key = keys.view();
    inputs.visible_blocks = visible.view();
    RC_ASSERT(row_of(*through_pages.selected_blocks, row) ==
              row_of(ReferenceSubject().select(inputs).blocks, 0));
  }
}

RC_GTEST_PROP(ReferenceSubject, DoesNotSeeWhereInTheCacheAPageLies, ()) {
  GeneratedPaged paged = any_paged();
  const PagedSelectOutputs before = ReferenceSubject().select_paged(paged.inputs());
  const std::int64_t pages = paged.index_key_cache.extent(0);
  // Page p moves to pages − 1 − p.
  const std::size_t bytes = paged.index_key_cache.bytes.size() / static_cast<std::size_t>(pages);
  Tensor moved(paged.index_key_cache.dtype, paged.index_key_cache.shape);
  for (std::int64_t page = 0; page < pages; ++page) {
    std::memcpy(moved.bytes.data() + static_cast<std::size_t>(pages - 1 - page) * bytes,
                paged.index_key_cache.bytes.data() + static_cast<std::size_t>(page) * bytes, bytes);
  }
  paged.index_key_cache = moved;
  for (std::int32_t& page : paged.page_table.as<std::int32_t>()) {
    if (page >= 0) page = static_cast<std::int32_t>(pages) - 1 - page;
  }
  const PagedSelectOutputs after = ReferenceSubject().select_paged(paged.inputs());
  RC_ASSERT(after.selected_blocks->bytes == before.selected_blocks->bytes);
  RC_ASSERT(after.selected_tokens.bytes == before.selected_tokens.bytes);
}

}  // namespace
}  // namespace plumbline
