#include "gpu/select/topk_persistent.h"

#include <algorithm>

namespace plumbline::gpu {

PersistentGeometry persistent_geometry(std::int64_t rows, std::int32_t columns, std::int32_t k,
                                       std::int64_t blocks_resident) {
  const std::int64_t shortest = std::max<std::int64_t>(4096, std::int64_t{2} * k);
  const std::int64_t by_device = std::max<std::int64_t>(1, blocks_resident / std::max<std::int64_t>(1, rows));
  const std::int64_t by_columns = std::max<std::int64_t>(1, columns / shortest);
  const std::int64_t parts = std::min(by_device, by_columns);
  // A multiple of 4 keeps every part's first element as aligned as the row's.
  const std::int64_t part = parts == 1 ? columns : ((columns + parts - 1) / parts + 3) / 4 * 4;
  return {static_cast<std::int32_t>(part > 0 ? (std::int64_t{columns} + part - 1) / part : 1),
          static_cast<std::int32_t>(part)};
}

}  // namespace plumbline::gpu
