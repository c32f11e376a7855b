#pragma once

#include "gpu/dispatch/capability.h"

#include <cstdint>

namespace plumbline::dispatch {

/// Launch of split-K sparse attention.
struct AttentionLaunch {
  std::int64_t block_n = 0;  ///< selected tokens per tile
  std::int64_t splits = 0;   ///< parts of a row's tiles; 1 writes the output without a merge
  std::int64_t warps = 0;
  bool operator==(const AttentionLaunch&) const = default;
};

struct AttentionGeometry {
  std::int64_t rows = 0;
  std::int64_t query_heads = 0;
  std::int64_t kv_heads = 0;  ///< > 0
  std::int64_t head_dim = 0;
  std::int64_t selected = 0;  ///< width of the token selection
};

inline constexpr std::int64_t kMostSplits = 64;

/// The launch of a row whatever else is in its batch, in that many splits (or 0: by the width of the
/// selection alone, eight from 512 tokens on): equal rows get equal bits in every batch.
AttentionLaunch row_launch(std::int64_t selected, std::int64_t splits);

/// Launch profile of ROUTES.md §4.3: by rows × kv heads and generation (8.0 and later, or before), the target
/// of splits cut to the largest power of two that the tiles allow.
AttentionLaunch attention_launch(const AttentionGeometry& geometry, Capability capability);

}  // namespace plumbline::dispatch
