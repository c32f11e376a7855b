#include "tests/oracle/cli/run_program.h"

#include <algorithm>

namespace plumbline {
namespace {

class BenchCommand : public ProgramTest {};

TEST_F(BenchCommand, SaysInOneLineThatADeviceIsUnsupported) {
  const ProgramRun result = run(
      {"bench", "select", "--device", "cuda:0", "--context", "3000", "--rows", "8", "--repetitions", "1"});
  if (result.exit_code == 0) GTEST_SKIP() << "this machine has a device";
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
  EXPECT_EQ(result.out.rfind("UNSUPPORTED: bench select --device: ", 0), 0u) << result.out;
}

TEST_F(BenchCommand, StillMeasuresTheCertifiedSelection) {
  const ProgramRun result =
      run({"bench", "select", "--case", "select:rows=64,blocks=700", "--repetitions", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("certified selection"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace plumbline
