#include "gpu/dispatch/chunking.h"

#include <limits>

namespace plumbline::dispatch {
namespace {

constexpr std::int64_t kWorkspaceBytes = 134'217'728;
constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kMiB = 1'048'576;
constexpr std::int64_t kTileQuantum = 256;
constexpr std::int64_t kMinLiveColumns = 512;

}  // namespace

std::int64_t rows_per_chunk(std::int64_t score_columns) {
  const std::int64_t row_bytes = kFloatBytes * std::max<std::int64_t>(score_columns, 1);
  return std::max<std::int64_t>(1, kWorkspaceBytes / row_bytes);
}

std::int64_t tile_columns(std::int64_t columns, std::int64_t rows, std::int64_t heads, std::int64_t tile_mb) {
  const std::int64_t column_bytes = std::max<std::int64_t>(rows * heads * kFloatBytes, 1);
  const std::int64_t tile_bytes =
      std::clamp<std::int64_t>(tile_mb, 0, std::numeric_limits<std::int64_t>::max() / kMiB) * kMiB;
  const std::int64_t fitting = std::min(columns, tile_bytes / column_bytes);
  return std::max(fitting, kTileQuantum) / kTileQuantum * kTileQuantum;
}

std::int64_t live_columns(std::int64_t visible_max, std::int64_t capacity) {
  return std::min(capacity, std::max(kMinLiveColumns, visible_max));
}

}  // namespace plumbline::dispatch
