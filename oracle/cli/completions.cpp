#include "oracle/cli/completions.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumbline {
namespace {

struct Command {
  std::string path;   ///< "", "evidence", "evidence pack"
  std::string about;  ///< its description
  std::vector<std::string> commands, options;
  CLI::App* app = nullptr;
};

void collect(CLI::App& app, const std::string& path, std::vector<Command>& all) {
  Command command{path, app.get_description(), {}, {}, &app};
  const std::vector<CLI::App*> children = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* child : children)
    if (!child->get_group().empty()) command.commands.push_back(child->get_name());
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) command.options.push_back("--" + name);
    for (const std::string& name : option->get_snames()) command.options.push_back("-" + name);
  }
  all.push_back(std::move(command));
  for (CLI::App* child : children)
    if (!child->get_group().empty())
      collect(*child, path.empty() ? child->get_name() : path + " " + child->get_name(), all);
}

// The words of a command line up to the cursor that are commands, and what may follow them.
std::string cases_of(const std::vector<Command>& all) {
  std::string known, lists;
  for (const Command& command : all) {
    if (!command.path.empty()) known += fmt::format("{}\"{}\"", known.empty() ? "" : "|", command.path);
    std::vector<std::string> words = command.commands;
    words.insert(words.end(), command.options.begin(), command.options.end());
    lists += fmt::format("    \"{}\") list=\"{}\" ;;\n", command.path, fmt::join(words, " "));
  }
  return fmt::format(
      "    case \"${{path:+$path }}$word\" in\n      {}) path=\"${{path:+$path }}$word\" ;;\n    esac\n"
      "  done\n  case \"$path\" in\n{}  esac\n",
      known, lists);
}

std::string bash_script(const std::vector<Command>& all) {
  return "_plumbline() {\n"
         "  local word path='' list=''\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n" +
         cases_of(all) +
         "  mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
         "}\n"
         "complete -o default -F _plumbline plumbline\n";
}

std::string zsh_script(const std::vector<Command>& all) {
  // `path` is tied to the search path there.
  std::string cases = cases_of(all);
  for (std::size_t at = 0; (at = cases.find("path", at)) != std::string::npos; at += 5)
    cases.replace(at, 4, "taken");
  return "#compdef plumbline\n"
         "_plumbline() {\n"
         "  local word taken='' list=''\n"
         "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n" +
         cases +
         "  compadd -- ${=list}\n"
         "  [[ ${words[CURRENT]} == -* ]] || _files\n"
         "}\n"
         "compdef _plumbline plumbline\n";
}

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

std::string fish_script(const std::vector<Command>& all) {
  std::string out;
  for (const Command& command : all) {
    std::string when = "__fish_use_subcommand", below;
    if (!command.path.empty()) {
      when.clear();
      for (std::size_t begin = 0; begin < command.path.size();) {
        const std::size_t end = std::min(command.path.find(' ', begin), command.path.size());
        when += fmt::format("{}__fish_seen_subcommand_from {}", when.empty() ? "" : "; and ",
                            command.path.substr(begin, end - begin));
        begin = end + 1;
      }
      if (!command.commands.empty())
        below = fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(command.commands, " "));
    }
    for (const std::string& name : command.commands)
      out += fmt::format("complete -c plumbline -n '{}{}' -a {} -d {}\n", when, below, name,
                         fish_quoted(command.app->get_subcommand(name)->get_description()));
    for (const CLI::Option* option : command.app->get_options()) {
      if (option->get_group().empty()) continue;
      std::string names;
      for (const std::string& name : option->get_lnames()) names += " -l " + name;
      for (const std::string& name : option->get_snames()) names += " -s " + name;
      if (!names.empty())
        out += fmt::format("complete -c plumbline -n '{}{}'{}{} -d {}\n", when, below, names,
                           option->get_items_expected_max() > 0 ? " -r" : "",
                           fish_quoted(option->get_description()));
    }
  }
  return out;
}

}  // namespace

std::string completion_script(CLI::App& app, const std::string& shell) {
  std::vector<Command> all;
  collect(app, "", all);
  if (shell == "bash") return bash_script(all);
  return shell == "zsh" ? zsh_script(all) : fish_script(all);
}

}  // namespace plumbline
