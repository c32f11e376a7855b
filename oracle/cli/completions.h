#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace plumbline {

/// A script that completes the commands and options of `app` in "bash", "zsh" or "fish"; files where neither
/// fits. Made of the parser itself, so it cannot lag behind. Hidden commands are left out.
std::string completion_script(CLI::App& app, const std::string& shell);

}  // namespace plumbline
