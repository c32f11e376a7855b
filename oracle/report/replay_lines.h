#pragma once

#include "oracle/report/report_lines.h"

#include <string>
#include <vector>

namespace plumbline {

// The reports of `plumbline replay`, from its JSON alone.

/// One entry per operation of a layer, then the selection and the free-running logits where they were judged.
std::vector<ReportEntry> replay_entries(const Json& report);

/// A table per layer and operation of at most 110 columns, the first tap beyond its bound, the verdict.
std::string replay_text(const Json& report, bool color);
std::string replay_markdown(const Json& report);

/// "PASS: 812 taps, 99.31 % of 123456 elements bit-equal, none beyond its bound (profile hf_cpu)".
std::string replay_verdict(const Json& report);
/// "selector canonical 85, tie_only 8; end_to_end canonical 93"; empty where no selection was judged.
std::string selection_summary(const Json& replay);

}  // namespace plumbline
