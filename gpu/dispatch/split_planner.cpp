#include "gpu/dispatch/split_planner.h"

namespace plumbline::dispatch {

std::vector<Segment> plan_segments(std::span<const std::int64_t> query_starts, std::int64_t min_rows) {
  std::vector<Segment> segments;
  for (std::size_t i = 0; i + 1 < query_starts.size(); ++i) {
    const Range rows{query_starts[i], query_starts[i + 1]};
    if (rows.size() == 0) continue;
    if (rows.size() >= min_rows) {
      segments.push_back({rows, static_cast<std::int64_t>(i)});
    } else if (!segments.empty() && !segments.back().request) {
      segments.back().rows.end = rows.end;
    } else {
      segments.push_back({rows, std::nullopt});
    }
  }
  return segments;
}

}  // namespace plumbline::dispatch
