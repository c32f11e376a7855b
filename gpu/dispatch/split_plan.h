#pragma once

#include "gpu/dispatch/plan.h"

#include <cstdint>

namespace plumbline::dispatch {

/// Which requests of a step the split scores from their own gathered keys.
enum class SplitPlan : std::uint8_t {
  every_request,     ///< score.cublas_split forced
  longest_requests,  ///< those with the most rows; the others share segments of score.paged, as admitted
                     ///< at 7.5 by the gate set family7x under a policy whose row threshold is that many
};

/// What plans a step so, with topk.lexicographic forced.
PlanInput split_input(const Batch& batch, SplitPlan split);

}  // namespace plumbline::dispatch
