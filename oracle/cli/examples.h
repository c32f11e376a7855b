#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace plumbline {

/// A line that works as it stands in a checkout; a test runs each, in this order:
/// later ones read what earlier ones wrote.
struct CommandExample {
  std::string command;  ///< "evidence pack"
  std::string line;     ///< "plumbline evidence pack …"
};
const std::vector<CommandExample>& command_examples();

/// Puts every example under the --help of its command, and the way to the commands under the program's.
void add_examples(CLI::App& app);

}  // namespace plumbline
