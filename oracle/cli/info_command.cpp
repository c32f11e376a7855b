#include "oracle/cli/commands.h"
#include "oracle/run/describe_capture.h"

#include <memory>
#include <string>

#include <fmt/format.h>

namespace plumbline {

void add_info_command(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("info", "Attributes and datasets of a capture");
  command->add_option("file", *file, "The capture")->required();
  command->callback([file] { fmt::print("{}", describe_capture(*file)); });
}

}  // namespace plumbline
