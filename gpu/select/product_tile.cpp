#include "gpu/select/score_cublas.h"

#include <algorithm>

namespace plumbline::gpu {

std::int32_t product_tile_columns(std::int64_t rows, std::int32_t columns, std::int64_t tile_bytes) {
  const std::int64_t padded = (std::int64_t{columns} + 7) / 8 * 8;
  const std::int64_t bytes_per_column = std::max<std::int64_t>(1, rows) * kIndexHeads * 4;
  const std::int64_t fitting = tile_bytes / bytes_per_column / 256 * 256;
  return static_cast<std::int32_t>(std::min(padded, std::max<std::int64_t>(256, fitting)));
}

}  // namespace plumbline::gpu
