#include "gpu/select/fused_geometry.h"
#include "gpu/select/fused_kernel.cuh"

#include <algorithm>
#include <cmath>

namespace plumbline::gpu {

FusedGeometry fused_geometry(std::int64_t rows, std::int32_t columns, std::int32_t k, int multiprocessors) {
  using namespace hopper;
  FusedGeometry g{};
  // All blocks of a launch wait for each other, one per multiprocessor; with four splits or more the lists of
  // a launch stay the same size.
  const std::int64_t most_tiles = std::max(1, multiprocessors / 4);
  g.chunk_rows = std::min(rows, most_tiles * kTileQueries);
  const std::int64_t row_tiles = (g.chunk_rows + kTileQueries - 1) / kTileQueries;
  const std::int64_t key_tiles = (std::int64_t{columns} + kTileKeys - 1) / kTileKeys;
  g.splits = static_cast<std::int32_t>(std::clamp<std::int64_t>(multiprocessors / row_tiles, 1, key_tiles));
  g.few_rows = g.chunk_rows <= kGroupQueries;
  g.parts = g.few_rows ? g.splits * kGroups : g.splits;
  // About 2 k blocks are kept, in 32 lists a part; there is room for eight times that.
  g.slots_log2 = 6;
  while ((g.parts << g.slots_log2) < std::max(512, k)) ++g.slots_log2;

  // The k-th of n near the 20th of the sample, in whole tiles.
  const double wanted = 20.0 * columns / k;
  std::int32_t tiles = std::max(1, static_cast<std::int32_t>(std::lround(wanted / g.splits / kTileKeys)));
  tiles = std::min(tiles, std::max(1, kMaxSamples / g.splits / kTileKeys));
  g.sample_per_split = std::min(tiles * kTileKeys, kMaxSamples / g.splits / 8 * 8);

  const double samples = static_cast<double>(g.splits) * g.sample_per_split;
  const double rank = sample_rank(static_cast<std::int32_t>(samples), columns, k);
  const double kept = rank / samples * columns;
  g.small_buffer = k <= 512 && (columns <= 2048 || kept * (1.0 + 6.0 / std::sqrt(rank)) <= 2048.0);
  return g;
}

}  // namespace plumbline::gpu
