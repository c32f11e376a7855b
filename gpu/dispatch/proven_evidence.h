#pragma once

#include "gpu/dispatch/gate_set.h"

#include <filesystem>
#include <string>
#include <vector>

namespace plumbline::dispatch {

/// What is wrong with a table of proven routes, one line each; empty means every entry is backed. An entry
/// needs a disputed route (one the gate sets decide) and, below `root`, an evidence file (JSON) whose
/// device.capability is the entry's and whose hits[].route names the route or a variant of it.
std::vector<std::string> check_proven(const std::vector<ProvenRoute>& table,
                                      const std::filesystem::path& root);

/// The disputed routes that an evidence file below `root` backs: those it has a hit of, on its device's
/// capability. None for a file of another kind (no device.capability or no hits).
std::vector<ProvenRoute> proven_by(const std::string& evidence, const std::filesystem::path& root);

}  // namespace plumbline::dispatch
