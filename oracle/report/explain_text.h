#pragma once

#include "oracle/report/report_json.h"

#include <string>

namespace plumbline {

/// The report of `plumbline explain`, from its JSON alone: the profiles, best first, and for each operation
/// which of them fit.
std::string explain_text(const Json& report);

}  // namespace plumbline
