#include "oracle/cli/commands.h"
#include "oracle/report/output_file.h"
#include "oracle/run/routes.h"

#include <memory>
#include <string>

#include <fmt/format.h>

namespace plumbline {
namespace {

struct SnapshotOptions {
  std::string gates = "family7x", output;
};
struct DiffOptions {
  std::string before, after, expected;
};

void add_explain(CLI::App& routes) {
  auto question = std::make_shared<RoutesQuestion>();
  CLI::App* command =
      routes.add_subcommand("explain", "Print which branch a case takes and why not the others");
  command->add_option("case", question->case_text, "The case, such as paged:rows=1616,blocks=7250")
      ->required();
  command->add_option("--capability", question->capability, "Compute capability, such as 7.5")
      ->capture_default_str();
  command->add_option("--gates", question->gates, "exact70, family7x or proven")->capture_default_str();
  command->add_option("--policy", question->policy, "FIELD=INTEGER, such as qsa_cublas_min_rows=64");
  command->add_option("--force", question->forced, "Take this route whatever its gates say");
  command->add_option("--attention", question->attention,
                      "Plan attention too: QUERY_HEADSxKV_HEADS, such as 24x2");
  command->callback([question] { fmt::print("{}", explain_routes(*question)); });
}

void add_snapshot(CLI::App& routes) {
  auto options = std::make_shared<SnapshotOptions>();
  CLI::App* command =
      routes.add_subcommand("snapshot", "Write the routes of the whole matrix under one gate set");
  command->add_option("--gates", options->gates, "exact70, family7x or proven")->capture_default_str();
  command->add_option("-o,--output", options->output, "The file to write")->required();
  command->callback([options] {
    const OutputFile file(options->output);
    file.write(snapshot_routes(options->gates));
  });
}

void add_diff(CLI::App& routes, int& exit_code) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command = routes.add_subcommand("diff", "Print the rows in which two snapshots differ");
  command->add_option("before", options->before, "Snapshot")->required();
  command->add_option("after", options->after, "Snapshot")->required();
  command->add_option("--expected", options->expected, "JSON list of the row ids that may change");
  command->callback([options, &exit_code] {
    const RoutesDiff result = diff_routes(options->before, options->after, options->expected);
    fmt::print("{}", result.text);
    exit_code = result.clean ? 0 : 1;
  });
}

}  // namespace

void add_routes_command(CLI::App& app, int& exit_code) {
  CLI::App* routes =
      app.add_subcommand("routes", "The dispatch: which branch runs where, and what a change moves");
  routes->require_subcommand(1);
  add_explain(*routes);
  add_snapshot(*routes);
  add_diff(*routes, exit_code);
}

}  // namespace plumbline
