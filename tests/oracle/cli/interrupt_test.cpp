#include "tests/oracle/cli/run_program.h"

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <spawn.h>

extern char** environ;

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class Interrupt : public ProgramTest {
 protected:
  pid_t start(std::vector<std::string> words) const {
    words.insert(words.begin(), PLUMBLINE_PROGRAM);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::signal(SIGINT, SIG_DFL);  // a run in the background may have inherited that it is ignored
    pid_t child = -1;
    if (::posix_spawn(&child, PLUMBLINE_PROGRAM, nullptr, nullptr, argv.data(), environ) != 0)
      throw std::runtime_error("cannot start " PLUMBLINE_PROGRAM);
    return child;
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(fs::path(path("x")).parent_path()), {});
  }
};

// Far more than a second of work between the file's first byte and its name.
constexpr const char* kLong = "select:rows=64,blocks=400000,data=relu";

TEST_F(Interrupt, OfAGeneratorLeavesNothing) {
  const pid_t child = start({"generate", kLong, "-o", path("long.h5")});
  while (files() == 0 && ::waitpid(child, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(files(), 1);
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it was done before it was interrupted";
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  EXPECT_EQ(files(), 0);
}

TEST_F(Interrupt, TwoRunsIntoOneFileLeaveOneWholeOne) {
  const std::vector<std::string> words = {"generate", "select:topk=8,blocks=900,data=ties", "-o",
                                          path("same.h5")};
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(start(words));
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(run({"select", path("same.h5")}).exit_code, 0);
}

TEST_F(Interrupt, AReportThatStandardOutputDoesNotTakeIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  ASSERT_EQ(run({"generate", "select:topk=8,blocks=40,data=ties", "-o", path("case.h5")}).exit_code, 0);
  const std::string select = shell_quoted(PLUMBLINE_PROGRAM) + " select " + shell_quoted(path("case.h5"));
  const ProgramRun full = run_line("{ " + select + " --json - >/dev/full; }");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_NE(full.err.find("standard output"), std::string::npos) << full.err;
  EXPECT_EQ(run_line(select + " --json /dev/full").exit_code, 2);
  EXPECT_EQ(run_line(select + " --junit /no/such/folder/report.xml").exit_code, 2);
}

}  // namespace
}  // namespace plumbline
