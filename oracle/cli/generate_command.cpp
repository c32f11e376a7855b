#include "fixtures/cases/case_spec.h"
#include "oracle/cli/commands.h"
#include "oracle/run/write_case.h"

#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>

namespace plumbline {
namespace {

struct GenerateCommand {
  std::string case_text, output;
  bool list = false;

  void run() const {
    if (list) {
      for (const DataFamily& family : data_families()) {
        std::string params;
        for (const auto& [name, fallback] : family.params) params += fmt::format(" {}={}", name, fallback);
        fmt::print("{} ({}){}: {}\n  {}\n", family.name, family.construction, params, family.about,
                   family.default_case);
      }
      return;
    }
    if (case_text.empty() || output.empty()) throw CLI::RequiredError("CASE and -o FILE");
    const CaseSpec spec = parse_case(case_text);
    write_case(spec, output);
    fmt::print("{}: {}\n", output, format_case(spec));
  }
};

}  // namespace

void add_generate_command(CLI::App& app) {
  auto generate = std::make_shared<GenerateCommand>();
  CLI::App* command = app.add_subcommand(
      "generate", "Write a generated case as a capture, with the reference's selection in it");
  command->add_option("case", generate->case_text, "The case, such as select:blocks=7250,data=relu,seed=7");
  command->add_option("-o,--output", generate->output, "The capture to write");
  command->add_flag("--list", generate->list, "Describe the data families, and stop");
  command->callback([generate] { generate->run(); });
}

}  // namespace plumbline
