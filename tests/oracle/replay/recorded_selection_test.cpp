#include "oracle/replay/recorded_selection.h"

#include "oracle/replay/teacher_forced.h"
#include "tests/oracle/replay/edited_capture.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// tiny_fp32's only sparse layer over 24 blocks with four selected, asked about one row of its prefill.
class Following : public testing::Test {
 protected:
  std::vector<std::int32_t> recorded(std::int64_t row) const {
    const auto blocks =
        forward_.tensor("selection/blocks").as<std::int32_t>().subspan(static_cast<std::size_t>(row * 4), 4);
    std::vector<std::int32_t> sorted(blocks.begin(), blocks.end());
    std::ranges::sort(sorted);
    return sorted;
  }
  std::vector<std::int32_t> follow(const std::vector<std::int32_t>& canonical, bool tied) {
    return selection_.follow(
        3, forward_.sequences()[0], kRow, canonical, [&](std::int32_t, std::int32_t) { return tied; },
        tally_);
  }
  /// The recorded set with its last block replaced by one it left out.
  std::vector<std::int32_t> other() const {
    std::vector<std::int32_t> blocks = recorded(kRow);
    std::int32_t outsider = 0;
    while (std::ranges::count(blocks, outsider) > 0) ++outsider;
    blocks.back() = outsider;
    std::ranges::sort(blocks);
    return blocks;
  }

  static constexpr std::int64_t kRow = 80;
  ModelCapture capture_{golden_path("tiny_fp32")};
  ModelConfig config_ = parse_model_config(capture_.config_json(), "");
  RecordedForward forward_{capture_, capture_.forwards().front()};
  RecordedSelection selection_{forward_, config_};
  SelectionFollowing tally_;
};

TEST_F(Following, KeepsTheCanonicalSetWhereTheEngineChoseIt) {
  EXPECT_EQ(follow(recorded(kRow), false), recorded(kRow));
  EXPECT_EQ(tally_.rows, 1);
  EXPECT_EQ(tally_.followed + tally_.parted, 0);
}

TEST_F(Following, TakesTheRecordedSetWhereTheSwappedBlocksTie) {
  EXPECT_EQ(follow(other(), true), recorded(kRow));
  EXPECT_EQ(tally_.followed, 1);
}

TEST_F(Following, KeepsTheCanonicalSetAndReportsAPartingWhereTheScoresDiffer) {
  EXPECT_EQ(follow(other(), false), other());
  EXPECT_EQ(tally_.parted, 1);
  EXPECT_NE(tally_.first_parted.find("forward 0000, layer 3, batch row 0"), std::string::npos);
}

TEST_F(Following, TakesTheRecordedSetOfAConditionedComparisonAndReportsTheParting) {
  tally_.conditioned = true;
  EXPECT_EQ(follow(other(), false), recorded(kRow));
  EXPECT_EQ(tally_.parted, 1);
  const std::vector<std::int32_t> shorter = {0, 1, 2};
  EXPECT_EQ(follow(shorter, false), shorter);
}

TEST_F(Following, NeverFollowsASetOfAnotherSize) {
  const std::vector<std::int32_t> shorter = {0, 1, 2};
  EXPECT_EQ(follow(shorter, true), shorter);
  EXPECT_EQ(tally_.parted, 1);
}

TEST(RecordedSelections, AreRefusedWhereTheirRowsAreNotTheQueriesWithABlock) {
  const EditedCapture edited("tiny_fp32");
  edit(edited.path(), [](hid_t file) {
    put_zeros(file, "/forward/0000/selection/blocks", H5T_NATIVE_INT32, {92, 4});
    put_zeros(file, "/forward/0000/selection/scores", H5T_NATIVE_FLOAT, {92, 24});
    put_zeros(file, "/forward/0000/selection/lengths", H5T_NATIVE_INT32, {92});
  });
  const ModelCapture capture(edited.path());
  const ModelConfig config = parse_model_config(capture.config_json(), edited.path());
  const RecordedForward forward(capture, capture.forwards().front());
  EXPECT_THROW(RecordedSelection(forward, config), InputError);
}

}  // namespace
}  // namespace plumbline
