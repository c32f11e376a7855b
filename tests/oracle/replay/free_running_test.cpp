#include "oracle/replay/free_running.h"

#include "tests/oracle/replay/edited_capture.h"

#include <cmath>

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
                         testing::Values("tiny_fp32", "tiny_mrope", "tiny_padded", "tiny_short",
                                         "shapes_fp32", "padded3_fp32"),
                         [](const auto& test) { return std::string(test.param); });

class FreeRunning16Bit : public testing::TestWithParam<const char*> {};

TEST_P(FreeRunning16Bit, PartsNowhereByMoreThanTheBound) {
  const FreeRunningReport report = run_freely(ModelCapture(golden_path(GetParam())), hf_cuda_profile());
  EXPECT_EQ(report.status, Status::pass) << report.reason;
  EXPECT_GT(report.rows, 40);
  EXPECT_GT(report.max_abs_to_exact, 0);
}

INSTANTIATE_TEST_SUITE_P(Goldens, FreeRunning16Bit,
                         testing::Values("tiny_bf16", "tiny_fp16", "tiny_wide_bf16", "shapes_cuda_bf16"),
                         [](const auto& test) { return std::string(test.param); });

// The engine took another block of nearly equal score at one query. From there on it attends other tokens.
TEST(FreeRunningReport, JudgesACaptureWhoseSelectionPartsWithItsSelectionsFollowed) {
  const FreeRunningReport report = run_freely(ModelCapture(golden_path("gelu_cpu_fp16")), hf_cpu_profile());
  EXPECT_EQ(report.status, Status::pass) << report.reason;
  EXPECT_EQ(report.selections_parted, 2);
  ASSERT_TRUE(report.conditioned);
  EXPECT_LT(10 * report.conditioned->max_abs, report.max_abs);
  EXPECT_EQ(report.conditioned->argmax_equal, report.rows);
  EXPECT_LE(report.conditioned->max_abs, report.conditioned->bound);
  EXPECT_LT(report.conditioned->bound, 0.02);
}

// Faults before the parting, at token 34, and behind it.
TEST(FreeRunningReport, FailsAFaultOnEitherSideOfAParting) {
  for (const std::size_t token : {33u, 59u}) {
    const EditedCapture edited("gelu_cpu_fp16");
    edited.change_floats("/forward/0000/logits",
                         [&](std::vector<float>& logits) { logits[token * 256 + 7] += 0.25F; });
    EXPECT_EQ(run_freely(ModelCapture(edited.path()), hf_cpu_profile()).status, Status::fail) << token;
  }
}

TEST(FreeRunningReport, FailsAFloat32CaptureWhoseLogitsAreMovedByMoreThanTheBound) {
  const EditedCapture edited("tiny_short");
  edited.change_floats("/forward/0000/logits", [](std::vector<float>& logits) { logits[3] -= 1e-5F; });
  const FreeRunningReport report = run_freely(ModelCapture(edited.path()), hf_cpu_profile());
  EXPECT_EQ(report.status, Status::fail);
  EXPECT_LT(report.bound, 5e-6);
  EXPECT_NEAR(report.max_abs, 1e-5, 1e-6);
  EXPECT_EQ(report.argmax_equal, report.rows);
}

TEST(FreeRunningReport, NamesTheTokenWhereTheLargestLogitIsAnother) {
  const EditedCapture edited("tiny_short");
  edited.change_floats("/forward/0001/logits", [](std::vector<float>& logits) { logits[3] += 100; });
  const FreeRunningReport report = run_freely(ModelCapture(edited.path()), hf_cpu_profile());
  EXPECT_EQ(report.status, Status::fail);
  ASSERT_EQ(report.partings.size(), 1u);
  EXPECT_EQ(report.partings[0].forward, "0001");
  EXPECT_EQ(report.partings[0].recorded, 3);
  EXPECT_NEAR(report.partings[0].margin, 100, 10);
  EXPECT_EQ(report.argmax_equal, report.rows - 1);
}

TEST(FreeRunningReport, FailsA16BitCaptureWhoseLogitsAreMovedByMoreThanTheBound) {
  const EditedCapture edited("tiny_wide_bf16");
  edited.change_floats("/forward/0000/logits", [](std::vector<float>& logits) { logits[3] -= 0.25F; });
  const FreeRunningReport report = run_freely(ModelCapture(edited.path()), hf_cuda_profile());
  EXPECT_EQ(report.status, Status::fail);
  EXPECT_LT(report.bound, 0.2);
}

// An infinite weight makes our own logits infinite: whatever was recorded would be near enough.
TEST(FreeRunningReport, ProvesNothingWhereOurLogitsAreNotFinite) {
  const EditedCapture edited("tiny_short");
  edited.change_floats("/weights/model.layers.2.mlp.shared_expert.up_proj.weight",
                       [](std::vector<float>& numbers) { numbers[0] = HUGE_VALF; });
  EXPECT_EQ(run_freely(ModelCapture(edited.path()), hf_cpu_profile()).status, Status::vacuous);
}

TEST(FreeRunningReport, FailsACaptureOfAModelWithOneOtherWeight) {
  const EditedCapture edited("tiny_short");
  edited.change_floats("/weights/model.layers.2.linear_attn.out_proj.weight",
                       [](std::vector<float>& numbers) { numbers[7] += 0.01F; });
  const FreeRunningReport report = run_freely(ModelCapture(edited.path()), hf_cpu_profile());
  EXPECT_EQ(report.status, Status::fail);
  EXPECT_GT(report.max_abs, report.bound);
}

TEST(FreeRunningBound, GrowsWithTheLongestSumWhereSumsRoundAsStorageDoes) {
  ModelConfig config;
  config.streams = 4;
  config.indexer.hidden_size = 64;
  config.attention = {4, 2, 32};
  config.indexer.storage = DType::float32;
  EXPECT_DOUBLE_EQ(free_running_bound(config, hf_cpu_profile(), 1e-6), 18e-6);
  config.indexer.storage = DType::bfloat16;
  EXPECT_DOUBLE_EQ(free_running_bound(config, hf_cpu_profile(), 1), 2 + 0x1p-12);
  EXPECT_DOUBLE_EQ(free_running_bound(config, *find_rounding_profile("llamacpp"), 1), 18);
}

}  // namespace
}  // namespace plumbline
