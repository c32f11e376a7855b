#pragma once

#include "oracle/report/report_json.h"
#include "oracle/selftest/kill_matrix.h"

#include <string>

namespace plumbline::selftest {

/// `plumbline mutants`: machine, score, every mutant with what each check said, the code without a fault.
Json mutants_json(const KillMatrix& matrix, const Machine& machine);

/// The kill matrix as a table (K: its own check killed it, k: another check accused it too), survivors,
/// score.
std::string mutants_text(const KillMatrix& matrix);

}  // namespace plumbline::selftest
