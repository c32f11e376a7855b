#pragma once

#include "oracle/judge/judge_selection.h"
#include "oracle/selftest/mutant.h"

#include <optional>
#include <string>

namespace plumbline::selftest {

/// Adds the accusation unless the check has already made one.
void accuse(Trial& trial, const std::string& check, std::string what);

/// Accuses by the verdicts that `counts` holds: checks "structure", "value", "ties" and "order".
void accuse_by_verdict(Trial& trial, const std::optional<VerdictCounts>& counts, const std::string& what);

}  // namespace plumbline::selftest
