#pragma once

#include "gpu/dispatch/plan.h"

#include <span>

namespace plumbline::dispatch {

/// Attention of the whole batch; `input.batch.attention` is there.
AttentionPlan decide_attention(const PlanInput& input);

/// Gates of attention.page4, in check order.
std::span<const GateFunction<PlanInput>> page4_gates();

}  // namespace plumbline::dispatch
