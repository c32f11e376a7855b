#pragma once

#include "gpu/dispatch/plan.h"

namespace plumbline::dispatch {

/// What the gates of the top-k see: the scores of one chunk.
struct TopkCall {
  const PlanInput& input;
  std::int64_t rows = 0;
  std::int64_t columns = 0;  ///< also the row stride of the scores
};

/// The batch variant (5 or 10 rows with the policy on), which always comes with the engine, never from a
/// sidecar library.
bool is_decode_batch(const TopkCall& call);

/// Operation and, for the exact one, the variant in launch order: identity (ours: no row can hold more than
/// top-k blocks), compact, decode, mtp, generic.
Decision decide_topk(const TopkCall& call);

}  // namespace plumbline::dispatch
