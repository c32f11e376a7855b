#pragma once

#include "gpu/dispatch/plan.h"

#include <string>

namespace plumbline::dispatch {

/// The plan as a decision tree: per segment and group of like chunks, each stage with its candidates in check
/// order and, where one was rejected, the gate with what was observed and what it requires.
std::string explain(const Plan& plan);

}  // namespace plumbline::dispatch
