#pragma once

#include "oracle/report/report_json.h"

#include <string>

namespace plumbline {

/// What a run prints: the aligned table (at most 110 columns while names stay below 34 characters), what went
/// wrong with witnesses and repro lines, what was not executed, and the verdict as the last line. `color`
/// adds ANSI colours to statuses.
std::string text_report(const Json& report, bool color);

}  // namespace plumbline
