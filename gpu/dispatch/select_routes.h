#pragma once

#include "gpu/dispatch/plan.h"

namespace plumbline::dispatch {

/// What the tensor-core tiles of capability 9.0 ask of a batch: all requirements.
std::span<const GateFunction<PlanInput>> hopper_gates();

/// select.fused and select.two_kernel: scoring and top-k of all rows in one, planned only where one is
/// forced. Every gate is a requirement: what the kernels' tile does not do, force does not make it do.
Decision decide_select(const PlanInput& input, Route route);

}  // namespace plumbline::dispatch
