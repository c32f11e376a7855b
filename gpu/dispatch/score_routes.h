#pragma once

#include "gpu/dispatch/plan.h"

#include <optional>

namespace plumbline::dispatch {

/// What the gates of the scorers see: one segment, and one chunk of it.
struct ScoreCall {
  const PlanInput& input;
  Segment segment;
  std::int64_t page_table_rows = 0;  ///< of the (sliced) page table the call gets
  std::int64_t visible_max = 0;      ///< over the segment's rows
  std::int64_t chunk_rows = 0;       ///< 0: not cut yet

  std::int64_t rows() const { return segment.rows.size(); }
  /// Score columns of the cuBLAS routes.
  std::int64_t live() const { return live_columns(visible_max, input.batch.capacity()); }
};

/// Whether the batch is cut by requests, and the parts it runs in (one if it is not cut).
struct SplitDecision {
  Candidate candidate;  ///< score.cublas_split
  bool split = false;
  std::vector<Segment> segments;
};
SplitDecision decide_split(const PlanInput& input);

/// The cuBLAS candidates of a segment, decided on all its rows before it is cut into chunks. The last of them
/// is taken if it may be (Decision::route is none otherwise).
Decision decide_cublas(const ScoreCall& segment, const SplitDecision& split);

/// Gates of score.shared_key, evaluated per chunk.
std::span<const GateFunction<ScoreCall>> shared_key_gates();

/// The scorer of one chunk: `cublas` where that has a route, else the shared-key or the paged scorer; where
/// forced, score.hopper.
Decision decide_score(const ScoreCall& chunk, const Decision& cublas);

}  // namespace plumbline::dispatch
