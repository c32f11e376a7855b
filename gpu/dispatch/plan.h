#pragma once

#include "gpu/dispatch/attention_profile.h"
#include "gpu/dispatch/batch.h"
#include "gpu/dispatch/capability.h"
#include "gpu/dispatch/chunking.h"
#include "gpu/dispatch/gate.h"
#include "gpu/dispatch/gate_set.h"
#include "gpu/dispatch/policy.h"
#include "gpu/dispatch/split_planner.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::dispatch {

/// Optional native parts of the engine whose dispatch is planned.
struct Extensions {
  bool shared_key = true;     ///< small-batch scorer
  bool page4 = false;         ///< page-4 attention
  bool topk_sidecar = false;  ///< validation build of the exact top-k
};

/// Routes to take whatever their admission gates say. A stage left out is decided as usual.
struct ForcedRoutes {
  std::optional<Route> score, topk, attention;
  std::optional<Route> select;  ///< in place of score and top-k of every row
};

struct PlanInput {
  Capability capability;
  GateSet gates;
  Policy policy;
  Batch batch;
  Extensions extensions;
  ForcedRoutes forced;
};

struct Grid {
  std::int64_t x = 1, y = 1;
  bool operator==(const Grid&) const = default;
};

/// `count` adjacent chunks of `rows` rows that are planned alike.
struct ChunkGroup {
  std::int64_t first_row = 0;  ///< from the first row of the batch
  std::int64_t rows = 0;
  std::int64_t count = 0;
  Partition tiles;  ///< of the score columns; one tile for scorers without a product
  Decision score, topk, expand;
  Grid
      score_grid;  ///< the scorer's, or its epilogue's for a full tile; of score.hopper the tiles of its work
  Grid expand_grid;
  bool topk_from_sidecar = false;
};

struct SegmentPlan {
  Segment segment;
  std::int64_t score_columns = 0;
  Partition chunks;  ///< of the segment's rows
  std::vector<ChunkGroup> groups;
};

struct AttentionPlan {
  Decision decision;
  AttentionLaunch launch;  ///< of the split-K routes
};

/// The ordered decisions for one call: a pure function of its input. Rows of the batch lie in exactly one
/// segment, rows of a segment in exactly one chunk, score columns of a chunk in exactly one tile.
struct Plan {
  Capability capability;
  std::string gates;
  Policy policy;
  std::int64_t rows = 0;
  std::vector<SegmentPlan> segments;  ///< empty for a batch without rows
  std::optional<Decision> select;     ///< where forced: of all rows, in place of their score and topk
  std::optional<AttentionPlan> attention;
  std::uint64_t nonce = 0;  ///< hash of canonical_text(); device tags carry it

  /// Every stage has a route with a kernel of ours.
  bool supported() const;
  /// The same of scoring, top-k and expansion alone.
  bool selection_supported() const;
};

/// Throws std::invalid_argument: batch (see validate), a forced route of another stage, a malformed policy
/// field that a gate reads.
Plan make_plan(const PlanInput& input);

/// One line per decision; equal texts mean equal plans.
std::string canonical_text(const Plan& plan);

}  // namespace plumbline::dispatch
