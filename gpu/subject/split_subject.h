#pragma once

#include "fixtures/subject.h"
#include "gpu/dispatch/split_plan.h"
#include "gpu/subject/cuda_subject.h"

#include <memory>
#include <string>

namespace plumbline::gpu {

/// Selections of several requests as gpu/dispatch cuts them, run by PlannedSelector with topk.lexicographic.
/// Throws UnsupportedCase, with the gate that fails, for steps the split does not take: logical blocks, one
/// request, no host query starts, padded rows.
std::unique_ptr<SelectSubject> split_subject(std::string name, dispatch::SplitPlan plan,
                                             SubjectOptions options);

}  // namespace plumbline::gpu
