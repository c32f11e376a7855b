#include "oracle/replay/replay_report.h"

#include "tests/oracle/replay/edited_capture.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

ReplayReport run_freely_with_selections(const std::string& path) {
  ReplayRequest request;
  request.mode = ReplayMode::free;
  return replay_capture(path, request);
}

// Two of its selections part from ours.
TEST(ReplayReport, JudgesSelectionsThatPartByTheRecordedProjections) {
  const ReplayReport report = run_freely_with_selections(golden_path("gelu_cpu_fp16"));
  ASSERT_TRUE(report.selection);
  EXPECT_EQ(report.status, Status::pass) << report.reason;
}

TEST(ReplayReport, ProvesNothingOfSelectionsThatPartAndThatNothingRecordedJudges) {
  const EditedCapture edited("gelu_cpu_fp16");
  for (const char* forward : {"0000", "0001", "0002"}) {
    edited.drop_dataset(std::string("/forward/") + forward +
                        "/taps/model.layers.3.self_attn.indexer.index_qk_proj/out");
  }
  const ReplayReport report = run_freely_with_selections(edited.path());
  EXPECT_FALSE(report.selection);
  EXPECT_EQ(report.status, Status::vacuous);
  EXPECT_NE(report.reason.find("2 selections part"), std::string::npos) << report.reason;
}

}  // namespace
}  // namespace plumbline
