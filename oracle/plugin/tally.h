#pragma once

#include "oracle/plugin/plugin_trial.h"
#include "oracle/report/run_report.h"

#include <string>

namespace plumbline {

/// Outcomes of a plugin on the cases of one check, on their way into a report: their rows and verdicts added
/// up, or the one that fails.
class PluginTally {
 public:
  explicit PluginTally(CheckResult check) : check_(std::move(check)) {}
  void add(const PluginOutcome& outcome, double seconds);
  /// `outcome` has a finding, and stands for all from here on.
  void fail(const PluginOutcome& outcome, const std::string& source);
  void repro(std::string line) { check_.repro = std::move(line); }
  /// Of the finding.
  PluginProperty property() const { return property_; }
  /// FAIL with a finding; UNSUPPORTED where no case was served; VACUOUS where no row selects.
  CheckResult finish();

 private:
  CheckResult check_;
  PluginProperty property_ = PluginProperty::alive;
  bool failed_ = false;
  std::int64_t served_ = 0, tested_ = 0;
  std::string unsupported_;
};

}  // namespace plumbline
