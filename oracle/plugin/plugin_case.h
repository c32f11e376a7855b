#pragma once

#include "fixtures/cases/case_spec.h"
#include "fixtures/cases/generate.h"
#include "oracle/plugin/plugin_trial.h"

#include <optional>
#include <string>

namespace plumbline {

/// Generates the case and puts the plugin to it. Throws InputError for a case its family cannot serve.
PluginOutcome judge_spec(PluginTrial& trial, const CaseSpec& spec);

/// Whether a later outcome shows the same fault, so that a shrunk case stands for the one it came from.
bool same_fault(const PluginOutcome& outcome, PluginProperty property);

/// Writes the case as a capture of kind B or C: the reference's selection, the contract it was judged by, and
/// where the plugin still answers its selection (blocks_plugin), so that `select FILE` judges it without the
/// plugin.
void write_failing_case(const SelectInputs& inputs, PluginSubject& subject, Contract contract,
                        const std::string& case_name, const std::string& path);
void write_failing_case(const PagedSelectInputs& inputs, PluginSubject& subject, Contract contract,
                        const std::string& case_name, const std::string& path);

}  // namespace plumbline
