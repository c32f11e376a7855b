#pragma once

#include "gpu/dispatch/plan.h"
#include "gpu/dispatch/planned_call.h"

#include <cstdint>
#include <optional>

namespace plumbline::dispatch {

/// How attention alone is to be called.
struct AttentionForce {
  std::optional<Route> route;  ///< attention.direct or attention.splitk; none: as planned
  /// Splits of every row, 0 for row_launch's own; none: the profile of the whole batch.
  std::optional<std::int64_t> splits;
  bool portable = false;  ///< without tensor cores where there are some
};

/// A plan of attention alone, and what the witnesses of its call have to show.
struct AttentionCall {
  AttentionPlan plan;
  Kernel kernel = Kernel::none;  ///< of the parts
  PlannedCall planned;           ///< with the plan's nonce
};

/// The kernel of a capability: tensor cores from 8.0 on.
Kernel attention_kernel(Capability capability, bool portable);

/// A pure function of its arguments. Throws std::invalid_argument for a route of another stage, one without a
/// kernel, and splits outside [0, kMostSplits].
AttentionCall plan_attention(const AttentionBatch& batch, Capability capability, const AttentionForce& force);

}  // namespace plumbline::dispatch
