#include "oracle/replay/tap_sizes.h"

#include "oracle/replay/replay_report.h"
#include "tests/oracle/replay/edited_capture.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

std::vector<std::string> unknown_of(const std::string& path) {
  const ModelCapture capture(path);
  const ModelConfig config = parse_model_config(capture.config_json(), path);
  std::vector<std::string> all;
  for (const ModelCapture::Forward& forward : capture.forwards()) {
    for (const std::string& name : check_tap_sizes(capture, forward, config)) all.push_back(name);
  }
  return all;
}

class GoldenTaps : public testing::TestWithParam<const char*> {};

TEST_P(GoldenTaps, AreAllKnown) {
  EXPECT_EQ(unknown_of(golden_path(GetParam())), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(TapSizes, GoldenTaps,
                         testing::Values("tiny_fp32", "tiny_mrope", "tiny_padded", "tiny_wide_bf16",
                                         "padded3_fp32", "shapes_cuda_bf16", "padded_cuda_fp16",
                                         "gelu_cpu_fp16"),
                         [](const auto& test) { return std::string(test.param); });

/// One dataset of each kind in tiny_short's second call.
std::vector<std::string> one_of_each() {
  const ModelCapture capture(golden_path("tiny_short"));
  const ModelConfig config = parse_model_config(capture.config_json(), "");
  const ModelCapture::Forward& forward = capture.forwards()[1];
  std::vector<std::string> chosen = {"logits"};
  std::set<std::string> kinds;
  for (const char* group : {"taps", "state"}) {
    for (const std::string& name : capture.list(forward, group)) {
      std::string kind = name;
      std::erase_if(kind, [](char c) { return c >= '0' && c <= '3'; });
      if (tap_size(config, name, 1) && kinds.insert(kind).second) chosen.push_back(name);
    }
  }
  return chosen;
}

TEST(TapSizes, RefuseADatasetOfEachKindThatHasAnotherSize) {
  const std::vector<std::string> datasets = one_of_each();
  EXPECT_GE(datasets.size(), 30u);
  for (const std::string& dataset : datasets) {
    const EditedCapture edited("tiny_short");
    const std::string where = "/forward/0001/" + dataset;
    edit(edited.path(), [&](hid_t file) { put_zeros(file, where, H5T_NATIVE_FLOAT, {1, 1, 11}); });
    try {
      unknown_of(edited.path());
      ADD_FAILURE() << dataset;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(where), std::string::npos) << error.what();
    }
  }
}

TEST(TapSizes, AreCheckedBeforeAReplayReadsTheDataset) {
  const EditedCapture edited("tiny_short");
  edit(edited.path(), [](hid_t file) {
    put_zeros(file, "/forward/0001/taps/model.layers.2.mlp/in", H5T_NATIVE_FLOAT, {1, 1, 1});
  });
  EXPECT_THROW(replay_capture(edited.path(), {}), InputError);
}

TEST(TapSizes, ListATapThatTheModelDoesNotKnow) {
  const EditedCapture edited("tiny_short");
  edit(edited.path(), [](hid_t file) {
    put_zeros(file, "/forward/0001/taps/model.layers.1.extra", H5T_NATIVE_FLOAT, {1, 3, 64});
  });
  const std::vector<std::string> unknown = unknown_of(edited.path());
  EXPECT_EQ(std::ranges::count(unknown, "model.layers.1.extra"), 1);
}

}  // namespace
}  // namespace plumbline
