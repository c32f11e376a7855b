#pragma once

#include <cstdint>

namespace plumbline::gpu {

/// How select.fused cuts a call up. Its answer does not depend on any of it, its time does.
struct FusedGeometry {
  std::int64_t chunk_rows;  ///< rows of a launch
  std::int32_t splits;      ///< key ranges a row tile is cut into
  std::int32_t parts;       ///< of a row's lists: the splits, times the groups that share one
  std::int32_t slots_log2;  ///< of a list
  std::int32_t sample_per_split;
  bool few_rows;      ///< at most a group's worth
  bool small_buffer;  ///< 2,048 kept blocks a row are enough
};

/// For rows > 0, columns > 0, 1 <= k <= 1,024.
FusedGeometry fused_geometry(std::int64_t rows, std::int32_t columns, std::int32_t k, int multiprocessors);

}  // namespace plumbline::gpu
