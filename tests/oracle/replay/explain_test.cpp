#include "oracle/replay/explain.h"

#include "tests/fixtures/capture/temp_dir.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

const ExplainReport& short_golden() {
  static const ExplainReport report = explain_capture(ModelCapture(golden_path("tiny_short")));
  return report;
}

const OperationFit& fit_of(const ExplainReport& report, const std::string& operation) {
  return *std::ranges::find(report.operations, operation, &OperationFit::operation);
}

TEST(Explain, NamesTheEngineThatRoundedA16BitCapture) {
  const ExplainReport report = explain_capture(ModelCapture(golden_path("tiny_wide_bf16")));
  ASSERT_EQ(report.profiles.size(), 7u);
  EXPECT_EQ(report.profiles[0].profile, "hf_cuda");
  EXPECT_EQ(report.profiles[0].operations_within, report.profiles[0].operations);
  EXPECT_TRUE(std::ranges::is_sorted(report.profiles, std::ranges::greater{}, &ProfileFit::mean_share));
  const OperationFit& recurrence = fit_of(report, "delta_net.recurrence");
  EXPECT_FALSE(std::ranges::count(recurrence.within_bound, "vllm"));
  EXPECT_TRUE(std::ranges::count(recurrence.within_bound, "hf_cpu"));
}

TEST(Explain, TellsACpuFromAGpu) {
  const ExplainReport report = explain_capture(ModelCapture(golden_path("shapes_cpu_bf16")));
  EXPECT_EQ(report.profiles[0].profile, "hf_cpu");
  EXPECT_EQ(report.profiles[1].profile, "hf_cuda");
  EXPECT_GT(report.profiles[0].mean_share, report.profiles[1].mean_share);
}

TEST(Explain, CountsAnOperationWithoutArithmeticAsFittedByAll) {
  const OperationFit& copied = fit_of(short_golden(), "handed_over");
  EXPECT_EQ(copied.within_bound.size(), 7u);
  EXPECT_EQ(copied.best.size(), 7u);
  for (const auto& [profile, share] : copied.shares) EXPECT_EQ(share, 1) << profile;
}

TEST(Explain, FindsTheFloat32CaptureWithinTheBoundsOfItsEngine) {
  for (const OperationFit& fit : short_golden().operations)
    EXPECT_TRUE(std::ranges::count(fit.within_bound, "hf_cpu")) << fit.operation;
}

}  // namespace
}  // namespace plumbline
