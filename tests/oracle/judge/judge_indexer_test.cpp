#include "oracle/judge/judge_indexer.h"

#include "fixtures/error.h"
#include "tests/fixtures/capture/temp_dir.h"

#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>

namespace plumbline {
namespace {

IndexerReport judge_golden(const std::string& name, const IndexerOptions& options = {}) {
  return judge_indexer(ModelCapture(golden_path(name)), options);
}

struct Golden {
  const char* name;
  const char* profile;
  std::int64_t rows, rows_selecting, scores, dead_tokens;
  Status status;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

class IndexerOfGolden : public testing::TestWithParam<Golden> {};

TEST_P(IndexerOfGolden, IsVerifiedFromItsIndexProjections) {
  const Golden& golden = GetParam();
  const IndexerReport report = judge_golden(golden.name);
  EXPECT_EQ(report.status, golden.status) << report.reason;
  EXPECT_EQ(report.profile, golden.profile);
  EXPECT_EQ(report.rows, golden.rows);
  EXPECT_EQ(report.census.rows_selecting, golden.rows_selecting);
  EXPECT_EQ(report.dead_tokens, golden.dead_tokens);
  EXPECT_EQ(report.scores.compared, golden.scores);
  EXPECT_EQ(report.scores.beyond, 0);
  EXPECT_GT(report.scores.largest_share, 0);
  EXPECT_LE(report.scores.largest_share, 1);
  EXPECT_EQ(report.lengths_wrong, 0);
  EXPECT_GT(report.raw_keys_compared, 0);
  EXPECT_EQ(report.raw_keys_different, 0);
  EXPECT_GT(report.normed_compared, 0);
  EXPECT_EQ(report.normed_beyond, 0);
  EXPECT_EQ(report.rows_without_exact_score, 0);
  for (const VerdictCounts& counts : {report.selector, report.end_to_end}) {
    EXPECT_EQ(counts.total(), golden.rows);
    EXPECT_EQ(counts[Verdict::canonical] + counts[Verdict::order_only], golden.rows);
  }
  std::printf("%s: %ld of %ld scores bit-equal, %.2f %% of the bound used\n", golden.name,
              report.scores.bit_equal, report.scores.compared, 100 * report.scores.largest_share);
}

INSTANTIATE_TEST_SUITE_P(All, IndexerOfGolden,
                         testing::Values(Golden{"tiny_fp32", "hf_cpu", 104, 88, 1404, 0, Status::pass},
                                         Golden{"tiny_mrope", "hf_cpu", 65, 49, 561, 0, Status::pass},
                                         Golden{"tiny_padded", "hf_cpu", 73, 41, 393, 19, Status::pass},
                                         Golden{"tiny_short", "hf_cpu", 4, 0, 4, 0, Status::vacuous},
                                         Golden{"tiny_bf16", "hf_cuda", 100, 84, 1300, 0, Status::pass},
                                         Golden{"tiny_fp16", "hf_cuda", 81, 65, 861, 0, Status::pass},
                                         Golden{"tiny_wide_bf16", "hf_cuda", 118, 102, 1800, 0,
                                                Status::pass}),
                         [](const auto& golden) { return std::string(golden.param.name); });

TEST(JudgeIndexer, TheScaleOfTheOtherDeviceFitsFewerScoresBitForBit) {
  RoundingProfile divides = hf_cuda_profile();
  divides.score_scale = ScoreScale::divide_by_root;
  IndexerOptions options;
  options.profile = &divides;
  EXPECT_LT(judge_golden("tiny_bf16", options).scores.bit_equal + 100,
            judge_golden("tiny_bf16").scores.bit_equal);
}

TEST(JudgeIndexer, UnroundedTrigonometryLeavesTheBoundOfA16BitCapture) {
  RoundingProfile unrounded = hf_cuda_profile();
  unrounded.store_trigonometry = false;
  IndexerOptions options;
  options.profile = &unrounded;
  EXPECT_EQ(judge_golden("tiny_bf16", options).status, Status::fail);
}

/// A copy of a golden capture with one element of one dataset changed; gone with the object.
class Tampered {
 public:
  Tampered(const std::string& golden, const std::string& dataset, hsize_t element, double value)
      : path_(directory_.path() / "tampered.h5") {
    std::filesystem::copy_file(golden_path(golden), path_, std::filesystem::copy_options::overwrite_existing);
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
    hsize_t extents[H5S_MAX_RANK] = {}, at[H5S_MAX_RANK] = {};
    for (int axis = H5Sget_simple_extent_dims(space, extents, nullptr) - 1; axis >= 0; --axis) {
      at[axis] = element % extents[axis];
      element /= extents[axis];
    }
    H5Sselect_elements(space, H5S_SELECT_SET, 1, at);
    written_ = H5Dwrite(set, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &value) >= 0;
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
  }
  Tampered(const Tampered&) = delete;
  Tampered& operator=(const Tampered&) = delete;

  IndexerReport judge() const {
    EXPECT_TRUE(written_);
    return judge_indexer(ModelCapture(path_));
  }

 private:
  TempDir directory_;
  std::filesystem::path path_;
  bool written_ = false;
};

std::string tap(const char* module) {
  return fmt::format("/forward/0000/taps/model.layers.3.self_attn.indexer.{}/out", module);
}

TEST(JudgeIndexer, FindsAScoreBeyondItsBound) {
  // The last row of 24 scores; the scores' bound is about 1e-5 of their size.
  const IndexerReport report =
      Tampered("tiny_fp32", "/forward/0000/selection/scores", 92 * 24 + 3, 8.0).judge();
  EXPECT_EQ(report.scores.beyond, 1);
  EXPECT_EQ(report.scores.worst_row, 92);
  EXPECT_EQ(report.scores.worst_block, 3);
  EXPECT_EQ(report.status, Status::fail);
}

TEST(JudgeIndexer, FindsABlockThatDoesNotBelongAndSaysWhere) {
  const IndexerReport sound = judge_golden("tiny_fp32");
  ASSERT_TRUE(sound.witnesses.empty());
  bool found = false;
  for (int block = 0; block < 24 && !found; ++block) {  // the first block that is no winner of the last row
    const IndexerReport report =
        Tampered("tiny_fp32", "/forward/0000/selection/blocks", 92 * 4, block).judge();
    if (report.end_to_end[Verdict::value_error] == 0) continue;
    found = true;
    EXPECT_EQ(report.end_to_end[Verdict::value_error], 1);
    EXPECT_EQ(report.selector[Verdict::value_error], 1);
    EXPECT_EQ(report.status, Status::fail);
    ASSERT_FALSE(report.witnesses.empty());
    EXPECT_EQ(report.witnesses[0].row, 92);
    EXPECT_NE(report.witnesses[0].what.find("forward 0000, layer 3, batch row 0, call 92"),
              std::string::npos);
  }
  EXPECT_TRUE(found);
}

TEST(JudgeIndexer, FindsARepeatedBlock) {
  const IndexerReport sound = Tampered("tiny_fp32", "/forward/0000/selection/blocks", 92 * 4, 200).judge();
  EXPECT_EQ(sound.end_to_end[Verdict::structural], 1);
  EXPECT_EQ(sound.status, Status::fail);
}

TEST(JudgeIndexer, FindsACacheThatDoesNotHoldTheProjection) {
  const IndexerReport report =
      Tampered("tiny_bf16", "/forward/0000/state/layers.3/indexer_keys", 77, 3.0).judge();
  EXPECT_EQ(report.raw_keys_different, 1);
  EXPECT_EQ(report.status, Status::fail);
}

TEST(JudgeIndexer, FindsANormBeyondItsBound) {
  const IndexerReport report = Tampered("tiny_fp16", tap("q_layernorm"), 500, 3.0).judge();
  EXPECT_EQ(report.normed_beyond, 1);
  EXPECT_EQ(report.status, Status::fail);
}

TEST(JudgeIndexer, AChangedProjectionShowsInTheScores) {
  const IndexerReport report = Tampered("tiny_mrope", tap("index_qk_proj"), 40 * 160 + 7, 1.0).judge();
  EXPECT_GT(report.scores.beyond, 0);
  EXPECT_EQ(report.status, Status::fail);
}

TEST(JudgeIndexer, KnowsAGpuByItsKindAndByItsName) {
  CaptureInfo info;
  for (const char* gpu :
       {"transformers 5.17.0, torch 2.11.0, cuda, eager", "torch 2.11.0, NVIDIA H200, eager"}) {
    info.producer = gpu;
    EXPECT_EQ(profile_of(info).name, "hf_cuda") << gpu;
  }
  info.producer = "transformers 5.17.0, torch 2.11.0, cpu, eager";
  EXPECT_EQ(profile_of(info).name, "hf_cpu");
}

TEST(JudgeIndexer, RefusesAProducerWithoutAProfile) {
  CaptureInfo info;
  info.path = "some.h5";
  info.producer = "my engine 1.0";
  try {
    profile_of(info);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "some.h5: producer: expected a producer on cuda or cpu, or a rounding profile by name, found \"my "
        "engine 1.0\"");
  }
}

}  // namespace
}  // namespace plumbline
