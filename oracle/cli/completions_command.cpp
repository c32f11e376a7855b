#include "oracle/cli/commands.h"
#include "oracle/cli/completions.h"

#include <memory>
#include <string>

#include <fmt/format.h>

namespace plumbline {

void add_completions_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "completions",
      "Print a script that completes commands and options: source <(plumbline completions bash)");
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, shell] { fmt::print("{}", completion_script(app, *shell)); });
}

}  // namespace plumbline
