#pragma once

#include "oracle/run/check.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// One check per split reduction ("split/attention"): the emulation keeps its bound on every data family,
/// equal plans give equal bits, and every planted fault breaks the bound. `seed_shift` is added to the seeds.
/// And one per golden whose layers are put on several ranks ("split/ranks/tiny_bf16", where the folder has
/// it).
std::vector<PlannedCheck> split_checks(std::uint64_t seed_shift, const std::string& fixtures);

}  // namespace plumbline
