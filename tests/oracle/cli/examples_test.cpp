#include "tests/oracle/cli/run_program.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// Reads --help as a user would: what commands there are, and the example of each.
class HelpAndExamples : public ProgramTest {
 protected:
  std::vector<std::string> with(const std::string& command, const char* option) const {
    std::vector<std::string> words;
    std::istringstream text(command);
    for (std::string word; text >> word;) words.push_back(word);
    words.push_back(option);
    return words;
  }
  // The names below "Subcommands:".
  std::vector<std::string> commands_below(const std::string& command) {
    std::istringstream help(run(with(command, "--help")).out);
    std::vector<std::string> names;
    bool below = false;
    for (std::string line; std::getline(help, line);) {
      if (line.starts_with("Subcommands:")) {
        below = true;
      } else if (below && line.starts_with("  ") && line.size() > 2 && line[2] != ' ') {
        names.push_back((command.empty() ? "" : command + " ") + line.substr(2, line.find(' ', 2) - 2));
      } else if (below && !line.starts_with(" ")) {
        below = false;
      }
    }
    return names;
  }
  std::string example_of(const std::string& command) {
    const std::string help = run(with(command, "--help")).out;
    const std::size_t at = help.find("Example:\n  plumbline ");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + 11;
    return help.substr(begin, help.find('\n', begin) - begin);
  }
  std::vector<std::string> all_commands() {
    std::vector<std::string> leaves;
    for (const std::string& command : commands_below("")) {
      const std::vector<std::string> below = commands_below(command);
      if (below.empty()) leaves.push_back(command);
      leaves.insert(leaves.end(), below.begin(), below.end());
    }
    return leaves;
  }
};

TEST_F(HelpAndExamples, EveryCommandHasAnExampleThatWorks) {
  const std::vector<std::string> commands = all_commands();
  ASSERT_GT(commands.size(), 20u);
  std::filesystem::create_directories(path("work"));
  for (const char* folder : {"fixtures", "ci"})
    std::filesystem::create_directory_symlink(std::string(PLUMBLINE_SOURCE_DIR "/") + folder,
                                              path("work/") + folder);
  std::filesystem::create_symlink(PLUMBLINE_CPU_TOPK, path("work/libmine.so"));
  // These speak of a device, of a build of their own, or of more machines than this one.
  const std::map<std::string, std::set<int>> otherwise = {
      {"bench attention", {0, 3}}, {"mutants", {0, 3}}, {"gate", {1, 3}}};
  // Commands that read what others write come after them.
  std::vector<std::string> order = commands;
  const auto reads = [](const std::string& command) {
    return command == "gate"                  ? 3
           : command.starts_with("evidence ") ? command == "evidence pack" ? 1 : 2
           : command == "routes diff"         ? 2
                                              : 0;
  };
  std::ranges::stable_sort(order, {}, reads);
  for (const std::string& command : order) {
    const std::string example = example_of(command);
    ASSERT_TRUE(example.starts_with("plumbline " + command)) << command << ": " << example;
    const ProgramRun result =
        run_line("cd " + shell_quoted(path("work")) + " && OMP_NUM_THREADS=2 " +
                 shell_quoted(PLUMBLINE_PROGRAM) + example.substr(std::string("plumbline").size()));
    const auto allowed = otherwise.find(command);
    const std::set<int> codes = allowed == otherwise.end() ? std::set<int>{0} : allowed->second;
    EXPECT_TRUE(codes.contains(result.exit_code)) << example << "\nexit code " << result.exit_code << "\n"
                                                  << result.out << result.err;
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << example;
  }
}

TEST_F(HelpAndExamples, CompletionsNameEveryCommandInEveryShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = run({"completions", shell}).out;
    for (const std::string& command : all_commands()) {
      const std::string last = command.substr(command.rfind(' ') + 1);
      EXPECT_NE(script.find(last), std::string::npos) << shell << ": " << command;
    }
    EXPECT_NE(script.find("shard"), std::string::npos) << shell;
    EXPECT_EQ(script.find("serve-plugin"), std::string::npos) << shell << " shows a hidden command";
  }
  EXPECT_EQ(run({"completions", "tcsh"}).exit_code, 2);
}

TEST_F(HelpAndExamples, BashCompletesCommandsAndTheirOptions) {
  const std::string script = path("completions.bash");
  std::ofstream(script) << run({"completions", "bash"}).out;
  const auto completed = [&](const std::string& words, int at) {
    return run_line("bash -c " + shell_quoted("source " + script + "; COMP_WORDS=(" + words +
                                              "); COMP_CWORD=" + std::to_string(at) +
                                              "; _plumbline; printf '%s\\n' \"${COMPREPLY[@]}\""))
        .out;
  };
  EXPECT_EQ(completed("plumbline veri", 1), "verify\n");
  EXPECT_EQ(completed("plumbline evidence m", 2), "markdown\n");
  EXPECT_EQ(completed("plumbline verify --sha", 2), "--shard\n");
  EXPECT_EQ(completed("plumbline evidence pack --without", 3), "--without-reports\n");
  EXPECT_EQ(completed("plumbline gate some.folder --pol", 3), "--policy\n");
}

TEST_F(HelpAndExamples, ErrorsNameTheHelpThatTellsMore) {
  EXPECT_NE(run({"evidence", "pack"}).err.find("(try plumbline evidence pack --help)"), std::string::npos);
  EXPECT_NE(run({"verify", "--no-such"}).err.find("(try plumbline verify --help)"), std::string::npos);
  EXPECT_NE(run({"nothing"}).err.find("(try plumbline --help)"), std::string::npos);
}

TEST_F(HelpAndExamples, ColoursNeedATerminalAndNoWish) {
  const std::string line =
      shell_quoted(PLUMBLINE_PROGRAM) + " select " + shell_quoted(golden("select_near_budget_bf16.h5"));
  const std::string verify = shell_quoted(PLUMBLINE_PROGRAM) + " verify --filter near_budget";
  if (std::system("command -v script >/dev/null") != 0) GTEST_SKIP() << "no script(1) here";
  const auto shown = [&](const std::string& setting, const std::string& command) {
    return run_line(setting + " script -qec " + shell_quoted(command) + " /dev/null </dev/null").out;
  };
  const auto on_a_terminal = [&](const std::string& setting) { return shown(setting, line); };
  EXPECT_NE(on_a_terminal("TERM=xterm NO_COLOR=").find("\x1b[3"), std::string::npos);
  EXPECT_EQ(on_a_terminal("TERM=xterm NO_COLOR=1").find("\x1b[3"), std::string::npos);
  EXPECT_EQ(on_a_terminal("TERM=dumb").find("\x1b[3"), std::string::npos);
  // Progress is a line that is rewritten.
  EXPECT_NE(shown("TERM=xterm", verify).find("[1/"), std::string::npos);
  EXPECT_EQ(run_line(verify).err.find("[1/"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
