#pragma once

#include "oracle/run/repro.h"
#include "tests/fixtures/capture/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace plumbline {

/// What a run of the built program left behind.
struct ProgramRun {
  int exit_code = -1;
  std::string out, err;
};

inline std::string golden(const std::string& file) { return PLUMBLINE_SOURCE_DIR "/fixtures/golden/" + file; }

inline std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A folder of its own for each test, removed at the end, and the program run in a pipe.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramRun run(const std::vector<std::string>& words) const {
    std::string line = shell_quoted(PLUMBLINE_PROGRAM);
    for (const std::string& word : words) line += " " + shell_quoted(word);
    return run_line(line);
  }
  ProgramRun run_line(const std::string& line) const {
    const std::string out = path("stdout"), err = path("stderr");
    const int status = std::system((line + " >" + shell_quoted(out) + " 2>" + shell_quoted(err)).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(err)};
  }
  std::string path(const std::string& name) const { return directory_.file(name); }

 private:
  TempDir directory_;
};

inline void expect_one_line(const std::string& text) {
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_EQ(text.rfind("plumbline: ", 0), 0u) << text;
}

}  // namespace plumbline
