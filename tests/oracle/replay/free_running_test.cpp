#include "oracle/replay/free_running.h"

#include "tests/fixtures/capture/temp_dir.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

class FreeRunning : public testing::TestWithParam<const char*> {};

TEST_P(FreeRunning, GivesTheRecordedLogitsOfAFloat32Capture) {
  const FreeRunningReport report = run_freely(ModelCapture(golden_path(GetParam())), hf_cpu_profile());
  EXPECT_EQ(report.status, Status::pass) << report.reason;
  EXPECT_GT(report.rows, 6);
  EXPECT_EQ(report.argmax_equal, report.rows);
  EXPECT_LE(report.max_abs, 5e-6);
  EXPECT_LE(report.max_abs_to_exact, 5e-6);
  EXPECT_EQ(report.selections_parted, 0) << report.first_parted_selection;
}

INSTANTIATE_TEST_SUITE_P(Goldens, FreeRunning,
                         testing::Values("tiny_fp32", "tiny_mrope", "tiny_padded", "tiny_short"),
                         [](const auto& test) { return std::string(test.param); });

class FreeRunning16Bit : public testing::TestWithParam<const char*> {};

TEST_P(FreeRunning16Bit, PartsNowhereByMoreThanRoundingMovedTheCapture) {
  const FreeRunningReport report = run_freely(ModelCapture(golden_path(GetParam())), hf_cuda_profile());
  EXPECT_EQ(report.status, Status::pass) << report.reason;
  EXPECT_GT(report.rows, 100);
  EXPECT_GT(report.max_abs_to_exact, 0);
}

INSTANTIATE_TEST_SUITE_P(Goldens, FreeRunning16Bit,
                         testing::Values("tiny_bf16", "tiny_fp16", "tiny_wide_bf16"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace plumbline
