#include "oracle/cli/program.h"

#include "fixtures/capture/utf8.h"
#include "fixtures/error.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/examples.h"
#include "oracle/report/machine.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace plumbline {
namespace {

// Whatever an input holds, an error is one line.
int complain(const std::string& message, int code) {
  fmt::print(stderr, "plumbline: {}\n", printable(message, std::string::npos));
  return code;
}

// The help that tells what a command wants: of the deepest that the line names.
std::string help_of(const CLI::App& app) {
  const CLI::App* at = &app;
  std::string words = "plumbline";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    words += " " + at->get_name();
  }
  return words + " --help";
}

bool has_command(CLI::App& app, const std::string& name) {
  return std::ranges::any_of(app.get_subcommands([](CLI::App*) { return true; }),
                             [&](const CLI::App* command) { return command->check_name(name); });
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  CLI::App app{"Proves QSA selections right, or says which rows are wrong and why."};
  app.set_version_flag("--version", "plumbline " + build_name());
  app.require_subcommand(1);
  int exit_code = 0;
  add_verify_command(app, exit_code);
  add_select_command(app, exit_code);
  add_attention_command(app, exit_code);
  add_replay_command(app, exit_code);
  add_explain_command(app);
  add_digest_command(app);
  add_generate_command(app);
  add_info_command(app);
  add_bench_command(app, exit_code);
  add_routes_command(app, exit_code);
  add_mutants_command(app, exit_code);
  add_probe_command(app, exit_code);
  add_plugin_command(app, exit_code);
  add_serve_plugin_command(app);
  add_evidence_command(app);
  add_gate_command(app, exit_code);
  add_completions_command(app);
  add_examples(app);
  try {
    if (argc > 1 && argv[1][0] != '-' && !has_command(app, argv[1]))
      throw InputError(fmt::format("unknown command '{}' (try plumbline --help)", argv[1]));
    app.parse(argc, argv);
    if (std::fflush(stdout) != 0)
      throw InputError("standard output", "", "to take the report", "a write error");
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(fmt::format("{} (try {})", error.what(), help_of(app)), 2);
  } catch (const InputError& error) {
    return complain(error.what(), 2);
  } catch (const std::exception& error) {
    return complain(fmt::format("internal error: {}", error.what()), 1);
  }
  return exit_code;
}

}  // namespace plumbline
