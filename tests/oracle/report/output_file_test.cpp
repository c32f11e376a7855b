#include "oracle/report/output_file.h"

#include "fixtures/error.h"
#include "tests/fixtures/capture/temp_dir.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class OutputFileTest : public ::testing::Test {
 protected:
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  TempDir directory_;
  fs::path folder_ = directory_.path();
};

TEST_F(OutputFileTest, WritesTheWholeTextAndNothingElse) {
  OutputFile(folder_ / "report.json").write("whole\n");
  EXPECT_EQ(content(folder_ / "report.json"), "whole\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, LeavesNothingBehindWhenItIsNeverWritten) {
  { const OutputFile unused(folder_ / "report.json"); }
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFileTest, KeepsAnOlderReportUntilTheNewOneIsWhole) {
  std::ofstream(folder_ / "report.json") << "older";
  const OutputFile file(folder_ / "report.json");
  EXPECT_EQ(content(folder_ / "report.json"), "older");
  file.write("newer");
  EXPECT_EQ(content(folder_ / "report.json"), "newer");
}

TEST_F(OutputFileTest, FollowsALinkInsteadOfReplacingIt) {
  std::ofstream(folder_ / "target") << "older";
  fs::create_symlink("target", folder_ / "link");
  OutputFile(folder_ / "link").write("newer");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(folder_ / "target"), "newer");
}

TEST_F(OutputFileTest, WritesToADeviceDirectly) { EXPECT_NO_THROW(OutputFile("/dev/null").write("text")); }

TEST_F(OutputFileTest, RefusesAFolderThatDoesNotExist) {
  EXPECT_THROW(OutputFile(folder_ / "absent" / "report.json"), InputError);
}

TEST_F(OutputFileTest, RefusesToReplaceAFolder) { EXPECT_THROW(OutputFile(folder_.string()), InputError); }

TEST_F(OutputFileTest, AFullDeviceIsAnInputError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_THROW(OutputFile("/dev/full").write("text"), InputError);
}

}  // namespace
}  // namespace plumbline
