#pragma once

#include <algorithm>
#include <cstdint>

namespace plumbline::dispatch {

/// Half-open.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

/// [0, total) cut into pieces of `piece`, the last one shorter.
struct Partition {
  std::int64_t total = 0;
  std::int64_t piece = 1;  ///< > 0

  std::int64_t count() const { return total / piece + (total % piece != 0 ? 1 : 0); }
  std::int64_t full_pieces() const { return total / piece; }
  std::int64_t remainder() const { return total % piece; }
  /// index < count().
  Range range(std::int64_t index) const { return {index * piece, std::min(total, index * piece + piece)}; }
  bool operator==(const Partition&) const = default;
};

/// Rows whose float32 scores over `score_columns` fit the 128 MiB workspace, at least one.
std::int64_t rows_per_chunk(std::int64_t score_columns);

/// Columns of one product [rows · heads, dim] × [dim, tile] whose float32 result fits `tile_mb` MiB: at least
/// 256 and a multiple of 256. Any `tile_mb`, also 0 and negative.
std::int64_t tile_columns(std::int64_t columns, std::int64_t rows, std::int64_t heads, std::int64_t tile_mb);

/// Width of the cuBLAS route's scores: the blocks any row sees, at least 512, at most the capacity.
std::int64_t live_columns(std::int64_t visible_max, std::int64_t capacity);

}  // namespace plumbline::dispatch
