#pragma once

#include <CLI/CLI.hpp>

namespace plumbline {

// Each adds its command to the program. A command that judges stores the run's exit code in `exit_code`; all
// throw InputError from within parse().
void add_verify_command(CLI::App& app, int& exit_code);
void add_select_command(CLI::App& app, int& exit_code);
void add_attention_command(CLI::App& app, int& exit_code);
void add_replay_command(CLI::App& app, int& exit_code);
void add_explain_command(CLI::App& app);
void add_digest_command(CLI::App& app);
void add_generate_command(CLI::App& app);
void add_info_command(CLI::App& app);
void add_bench_command(CLI::App& app, int& exit_code);
void add_routes_command(CLI::App& app, int& exit_code);
void add_mutants_command(CLI::App& app, int& exit_code);
void add_probe_command(CLI::App& app, int& exit_code);
void add_plugin_command(CLI::App& app, int& exit_code);
/// What `plugin` runs in a process of its own; not shown in --help.
void add_serve_plugin_command(CLI::App& app);

void add_evidence_command(CLI::App& app);
void add_gate_command(CLI::App& app, int& exit_code);
/// Completes what was added to `app`, before or after it.
void add_completions_command(CLI::App& app);

}  // namespace plumbline
