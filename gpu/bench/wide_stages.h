#pragma once

#include "gpu/subject/select_bench.h"

#include <vector>

namespace plumbline::gpu::bench {

/// Stages bound by bytes, at sizes several times the L2: token expansion of 65,536 rows, compression of 2^20
/// raw index keys.
std::vector<BenchStage> time_wide_stages(int repetitions);

}  // namespace plumbline::gpu::bench
