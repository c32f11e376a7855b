#pragma once

#include "gpu/bench/paged_scene.cuh"
#include "gpu/bench/uploaded.h"

#include <algorithm>
#include <vector>

namespace plumbline::gpu::bench {

/// The step of ROUTES.md §5.4 on the device: the last `rows` rows of one request of `tokens` tokens, normal
/// float16 values, pages in order, a page table of at least `capacity` blocks whose end is unmapped.
struct BenchScene {
  PagedInputs inputs;

  BenchScene(std::int64_t rows, std::int64_t tokens, std::int32_t page_size, std::int64_t capacity,
             bool int32_positions, std::uint64_t seed)
      : query_(rows * kIndexHeads * kIndexDim), blocks_(tokens / 4) {
    const std::int64_t pages = (blocks_ + page_size - 1) / page_size;
    const std::int64_t width =
        std::max((capacity + page_size - 1) / page_size, std::max<std::int64_t>(pages, 1));
    std::vector<std::int32_t> table(static_cast<std::size_t>(width), -1);
    for (std::int64_t page = 0; page < pages; ++page)
      table[static_cast<std::size_t>(page)] = static_cast<std::int32_t>(page);
    cache_ = DeviceBuffer<std::uint16_t>(pages * page_size * kIndexDim);
    fill_vectors<<<1024, 256>>>(query_.data(), query_.size(), seed + 11, false, Values::kNormal, false);
    fill_vectors<<<2048, 256>>>(cache_.data(), cache_.size(), seed + 12, false, Values::kNormal, true);
    std::vector<std::int64_t> positions;
    for (std::int64_t row = 0; row < rows; ++row) positions.push_back(tokens - rows + row);
    const std::vector<std::int32_t> narrow(positions.begin(), positions.end());
    page_table_ = uploaded(table);
    token_to_request_ = uploaded(std::vector<std::int32_t>(static_cast<std::size_t>(rows), 0));
    positions64_ = uploaded(positions);
    positions32_ = uploaded(narrow);
    lengths_ = uploaded(std::vector<std::int32_t>{static_cast<std::int32_t>(tokens)});
    inputs.query = query_.data();
    inputs.rows = rows;
    inputs.key_cache = cache_.data();
    inputs.pages = pages;
    inputs.page_size = page_size;
    inputs.page_table = page_table_.data();
    inputs.requests = 1;
    inputs.table_width = static_cast<std::int32_t>(width);
    inputs.token_to_request = token_to_request_.data();
    inputs.positions = int32_positions ? static_cast<const void*>(positions32_.data())
                                       : static_cast<const void*>(positions64_.data());
    inputs.positions_are_int32 = int32_positions;
    inputs.sequence_lengths = lengths_.data();
  }

  std::int32_t blocks() const { return static_cast<std::int32_t>(blocks_); }

 private:
  DeviceBuffer<std::uint16_t> query_, cache_;
  std::int64_t blocks_;
  DeviceBuffer<std::int32_t> page_table_, token_to_request_, positions32_, lengths_;
  DeviceBuffer<std::int64_t> positions64_;
};

}  // namespace plumbline::gpu::bench
