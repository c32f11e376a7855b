#include "fixtures/error.h"
#include "oracle/cli/commands.h"
#include "oracle/status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#ifdef PLUMBLINE_WITH_SELFTEST
#include "oracle/cli/terminal.h"
#include "oracle/report/machine.h"
#include "oracle/report/output_file.h"
#include "oracle/run/golden_checks.h"
#include "oracle/run/name_filter.h"
#include "oracle/selftest/mutants_report.h"
#endif

namespace plumbline {
namespace {

struct MutantsCommand {
  std::string filter, json;
  std::int64_t honest_cases = 0;
  bool list = false;

  int run() const;
};

#ifdef PLUMBLINE_WITH_SELFTEST

int MutantsCommand::run() const {
  using namespace selftest;
  std::optional<OutputFile> output;
  if (!json.empty() && json != "-") output.emplace(json);
  const NameFilter wanted(filter);
  const std::vector<Suite> all = suites(default_fixtures());
  MatrixOptions options;
  options.wanted = [&](const std::string& id) { return wanted.matches(id); };
  options.honest_cases = honest_cases;
  std::size_t count = 0;
  for (const Suite& suite : all) {
    for (const Mutant& mutant : suite.mutants) {
      if (!wanted.matches(mutant.id)) continue;
      ++count;
      if (list) fmt::print("{:<44} {:<24} {}\n", mutant.id, mutant.hazard, mutant.about);
    }
  }
  if (count == 0)
    throw InputError(fmt::format("filter '{}': no mutant of that name (plumbline mutants --list)", filter));
  if (list) return 0;
  const Progress progress;
  std::size_t number = 0;
  options.before = [&](const std::string& id) { progress.show(++number, count + all.size(), id); };
  const KillMatrix matrix = try_mutants(all, options);
  const Json report = mutants_json(matrix, this_machine());
  if (output) output->write(to_text(report));
  fmt::print("{}", json == "-" ? to_text(report) : mutants_text(matrix));
  return matrix.holds() ? 0 : 1;
}

#else

int MutantsCommand::run() const {
  fmt::print("UNSUPPORTED: this build has no mutants; configure with -DPLUMBLINE_SELFTEST=ON\n");
  return 3;
}

#endif

}  // namespace

void add_mutants_command(CLI::App& app, int& exit_code) {
  auto mutants = std::make_shared<MutantsCommand>();
  CLI::App* command = app.add_subcommand(
      "mutants",
      "Put planted faults under the checks that are to find them, and show which do: the kill matrix");
  command->add_option("--filter", mutants->filter, "Only mutants in whose name this regular expression is found");
  command->add_flag("--list", mutants->list, "Describe the mutants, and stop");
  command
      ->add_option("--honest-cases", mutants->honest_cases,
                   "Judge at least this many cases of each suite without a fault")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
  command->add_option("--json", mutants->json, "Write the matrix to this file (-: standard output)");
  command->callback([mutants, &exit_code] { exit_code = mutants->run(); });
}

}  // namespace plumbline
