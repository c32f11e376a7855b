#pragma once

#include "oracle/plugin/plugin_subject.h"
#include "oracle/report/run_report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// What a plugin is judged on, in the order in which it is asked.
enum class PluginProperty : std::uint8_t {
  alive,     ///< no crash, no hang, no failure of its own
  guards,    ///< nothing written but outputs, nothing read but inputs
  scores,    ///< each within its error bound
  contract,  ///< the selection is what it promises
  repeat,    ///< the same call, other rubbish in the outputs: the same answer
  batch,     ///< the same row in other company: the same answer
};
std::string_view name_of(PluginProperty property);

struct PluginFinding {
  PluginProperty property = PluginProperty::alive;
  std::string what;  ///< one line
};

/// One case through all properties, up to the first that does not hold.
struct PluginOutcome {
  std::optional<std::string> unsupported;  ///< why the plugin does not serve the case
  std::optional<JudgedSelection> judged;
  std::int64_t scores_compared = 0;  ///< with the exact ones, where it scores
  std::vector<VariationReport> variations;
  std::optional<PluginFinding> finding;
};

struct PluginTrialOptions {
  std::optional<Contract> contract;       ///< absent: the plugin's own
  std::optional<std::string> capability;  ///< of the device it runs on
  int threads = 0;
};

/// Puts a plugin to one case. On query and key it is asked for scores where it offers them; one that only
/// selects gets plain_scores(). What a call must repeat is what the contract promises: bytes of a canonical
/// selection, the set of blocks of any other. Scores may move in another batch, within two error bounds.
class PluginTrial {
 public:
  PluginTrial(PluginSubject& subject, PluginTrialOptions options)
      : subject_(subject), options_(std::move(options)) {}
  PluginOutcome judge(const SelectInputs& inputs);
  PluginOutcome judge(const PagedSelectInputs& inputs);
  /// What its selections are judged by: on scores (given or its own), or of a paged call.
  Contract contract(bool on_scores);

 private:
  void judge_select(const SelectInputs& inputs, PluginOutcome& outcome);
  void judge_score(const SelectInputs& inputs, PluginOutcome& outcome);
  void judge_paged(const PagedSelectInputs& inputs, PluginOutcome& outcome);
  PluginSubject& subject_;
  PluginTrialOptions options_;
};

}  // namespace plumbline
