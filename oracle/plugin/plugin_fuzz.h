#pragma once

#include "oracle/plugin/plugin_trial.h"
#include "oracle/report/run_report.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace plumbline {

struct PluginFuzzOptions {
  PluginTrialOptions trial;
  std::uint64_t seed = 0;
  std::chrono::duration<double> budget{60};  ///< of drawing cases; shrinking takes as long again at most
  std::int64_t rounds = -1;                  ///< cases of each family at most; -1: until the budget is spent
  std::function<bool(const std::string& check)> wanted;  ///< empty: all
  std::function<void(const std::string& check)> before;  ///< told of each case; may be empty
  /// The command that judges a case again: a case string or a file.
  std::function<std::string(const std::string& one_case)> repro;
  std::string failing_file;  ///< where the smallest failing case goes
};

struct PluginFuzzResult {
  RunReport run;  ///< one check per family and kind: "select/ties", "paged/ties"
  std::int64_t cases = 0;
  std::string failing_case;  ///< what the file holds, one line; empty where nothing failed
};

/// Every family that the plugin's operations can be put to: its default case, then drawn ones, until one
/// fails. A failing case is shrunk at once by its sizes; the smallest of all is shrunk by its data and
/// written.
PluginFuzzResult fuzz_plugin(std::shared_ptr<PluginProcess> process, const PluginFuzzOptions& options);

}  // namespace plumbline
