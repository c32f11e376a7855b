#pragma once

#include "gpu/dispatch/chunking.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plumbline::dispatch {

/// Adjacent rows that run as one call: of one request that is long enough, or of any number of short ones.
struct Segment {
  Range rows;
  std::optional<std::int64_t> request;  ///< nothing: short requests
  bool operator==(const Segment&) const = default;
};

/// Walks the requests in order: an empty one is skipped, one of at least `min_rows` rows becomes a segment of
/// its own, a shorter one joins the short segment before it or opens one. `query_starts` begins each
/// request's rows and ends with the end of the last.
std::vector<Segment> plan_segments(std::span<const std::int64_t> query_starts, std::int64_t min_rows);

}  // namespace plumbline::dispatch
