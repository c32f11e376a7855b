#pragma once

#include "fixtures/subject.h"

#include <memory>
#include <string>

namespace plumbline::gpu {

/// Which requests of a step the split scores from their own gathered keys.
enum class SplitPlan {
  every_request,     ///< score.cublas_split forced
  longest_requests,  ///< those with the most rows; the others share segments of score.paged, as admitted
                     ///< at 7.5 by the gate set family7x under a policy whose row threshold is that many
};

/// Selections of several requests as gpu/dispatch cuts them, run by PlannedSelector with topk.lexicographic.
/// Throws UnsupportedCase, with the gate that fails, for steps the split does not take: logical blocks, one
/// request, no host query starts, padded rows.
std::unique_ptr<SelectSubject> split_subject(std::string name, SplitPlan plan);

}  // namespace plumbline::gpu
