#include "reference/model/request_rows.h"

#include "reference/model/integer_view.h"
#include "reference/model/page_table.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace plumbline {
namespace {

void copy_query(const TensorView& from, std::int64_t row, std::byte* to) {
  const std::size_t size = size_of(from.dtype);
  for (std::int64_t head = 0; head < from.extent(1); ++head)
    for (std::int64_t d = 0; d < from.extent(2); ++d, to += size)
      std::memcpy(to, from.at(row, head, d), size);
}

}  // namespace

bool is_padded_row(const PagedSelectInputs& inputs, std::int64_t row) {
  const std::int64_t request = integer_at(inputs.token_to_request, row);
  return request < 0 || request >= inputs.page_table.extent(0);
}

std::vector<RequestRows> rows_by_request(const PagedSelectInputs& inputs) {
  std::map<std::int64_t, std::vector<std::int64_t>> numbers;
  for (std::int64_t row = 0; row < inputs.index_query.extent(0); ++row)
    if (!is_padded_row(inputs, row)) numbers[integer_at(inputs.token_to_request, row)].push_back(row);

  std::vector<RequestRows> all;
  for (auto& [request, rows] : numbers) {
    RequestRows group;
    group.request = request;
    group.numbers = std::move(rows);
    const auto count = static_cast<std::int64_t>(group.numbers.size());
    group.query =
        Tensor(inputs.index_query.dtype, {count, inputs.index_query.extent(1), inputs.index_query.extent(2)});
    group.visible = Tensor(DType::int32, {count});
    const std::size_t row_bytes = group.query.bytes.size() / group.numbers.size();
    for (std::size_t i = 0; i < group.numbers.size(); ++i) {
      copy_query(inputs.index_query, group.numbers[i], group.query.bytes.data() + i * row_bytes);
      const std::int64_t visible = visible_blocks_of_row(inputs, group.numbers[i]);
      group.visible.as<std::int32_t>()[i] = static_cast<std::int32_t>(visible);
      group.blocks = std::max(group.blocks, visible);
    }
    all.push_back(std::move(group));
  }
  return all;
}

}  // namespace plumbline
