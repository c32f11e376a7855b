#pragma once

#include "gpu/dispatch/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// The routes a plan is forced to take, by their names; at most one per stage. Throws InputError for a second
/// of a stage, std::invalid_argument for an unknown name.
dispatch::ForcedRoutes forced_routes(const std::vector<std::string>& names);

/// The names of "score.paged+topk.lexicographic".
std::vector<std::string> route_names(std::string_view joined);

}  // namespace plumbline
