#include "oracle/replay/recorded_forward.h"
#include "oracle/replay/teacher_forced.h"
#include "reference/model/qwen4_exp.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

struct Outcome {
  std::int64_t rows = 0, argmax_differs = 0;
  double largest_difference = 0;
};

std::int64_t argmax(std::span<const double> row) {
  return std::max_element(row.begin(), row.end()) - row.begin();
}

/// From the tokens on, following the recorded choice of blocks.
Outcome run(const std::string& name, const RoundingProfile& profile) {
  const std::string path = PLUMBLINE_SOURCE_DIR "/fixtures/golden/" + name + ".h5";
  const ModelCapture capture(path);
  const ModelConfig config = parse_model_config(capture.config_json(), path);
  const Qwen4Exp model(config, load_model(config, weights_of(capture)), profile);
  std::vector<ModelCache> caches(static_cast<std::size_t>(capture.forwards().front().batch),
                                 model.new_cache());
  ForwardOptions options;
  options.delta_rule = DeltaRuleForm::chunked;
  Outcome outcome;
  for (const ModelCapture::Forward& call : capture.forwards()) {
    const RecordedForward forward(capture, call);
    for (const LiveTokens& live : forward.sequences()) {
      const Rows<double> ours = model.forward(forward.tokens(live), forward.coordinates(live),
                                              caches[static_cast<std::size_t>(live.batch)], options);
      const Rows<double> recorded = forward.live_rows("logits", live);
      for (std::int64_t row = 0; row < ours.rows; ++row) {
        ++outcome.rows;
        outcome.argmax_differs += argmax(ours.row(row)) != argmax(recorded.row(row)) ? 1 : 0;
        for (std::size_t i = 0; i < ours.row(row).size(); ++i) {
          outcome.largest_difference =
              std::max(outcome.largest_difference, std::abs(ours.row(row)[i] - recorded.row(row)[i]));
        }
      }
    }
  }
  return outcome;
}

class FreeRunning : public testing::TestWithParam<const char*> {};

TEST_P(FreeRunning, GivesTheRecordedLogitsOfAFloat32Capture) {
  for (const RoundingProfile* profile : {&exact_profile(), &hf_cpu_profile()}) {
    const Outcome outcome = run(GetParam(), *profile);
    EXPECT_GT(outcome.rows, 6);
    EXPECT_EQ(outcome.argmax_differs, 0);
    EXPECT_LE(outcome.largest_difference, 5e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Goldens, FreeRunning,
                         testing::Values("tiny_fp32", "tiny_mrope", "tiny_padded", "tiny_short"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace plumbline
