#pragma once

#include "oracle/replay/explain.h"
#include "oracle/replay/replay_report.h"
#include "oracle/report/report_json.h"

#include <string>

namespace plumbline {

/// `plumbline replay FILE`. `repro` is the command line that shows a failure again.
Json replay_json(const ReplayReport& replay, const std::string& repro);
/// The same without the single taps, as part of a check of `plumbline verify`.
Json replay_summary_json(const ReplayReport& replay);
/// `plumbline explain FILE`.
Json explain_json(const ExplainReport& explanation);

/// Whether a report is one of `plumbline replay`.
bool is_replay(const Json& report);

}  // namespace plumbline
