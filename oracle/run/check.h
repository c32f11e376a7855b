#pragma once

#include "oracle/report/run_report.h"

#include <functional>
#include <string>

namespace plumbline {

/// A check that can be listed without being run. `run` fills in status, reason and judgements; whatever it
/// throws makes the check an ERROR.
struct PlannedCheck {
  std::string name;
  CheckKind kind = CheckKind::golden;
  std::string source;   ///< file or case string
  std::string subject;  ///< "recorded", "reference", "cuda"
  bool expect_vacuous = false;
  std::string repro;
  std::function<void(CheckResult&)> run;
};

/// Runs it, measures the time, and turns exceptions and unmet declarations into ERROR with a reason.
CheckResult run_check(const PlannedCheck& planned);

/// Sets the check's status and reason to the worst of its judgements: FAIL, then VACUOUS, else PASS.
void conclude(CheckResult& check);

}  // namespace plumbline
