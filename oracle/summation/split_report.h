#pragma once

#include "oracle/report/report_json.h"
#include "oracle/summation/rank_outcome.h"
#include "oracle/summation/split_faults.h"
#include "oracle/summation/split_sweep.h"
#include "oracle/summation/split_trials.h"

#include <string>
#include <vector>

namespace plumbline {

/// "attention: 20000 cases, …" and a line per data family.
std::string trials_text(const SplitTrials& trials);
Json trials_json(const SplitTrials& trials);
Json ranks_json(const std::vector<RankOutcome>& outcomes);
Json hunts_json(const std::vector<FaultHunt>& hunts);
Json sweep_json(const std::vector<SplitPoint>& points);

}  // namespace plumbline
