#include "fixtures/small_float.h"
#include "oracle/replay/replay_report.h"
#include "oracle/replay/teacher_forced.h"
#include "tests/oracle/replay/edited_capture.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// Operations with an element beyond its bound, among `taps`.
std::set<std::string> operations_beyond(const std::string& path, const RoundingProfile& profile,
                                        ReplayModel model, const std::set<std::string>& taps) {
  const ModelCapture capture(path);
  ReplayOptions options;
  options.wanted = [&](const std::string& tap) { return taps.contains(tap); };
  std::set<std::string> beyond;
  for (const TapReport& tap : TeacherForcedReplay(capture, profile, std::move(model)).run(options))
    if (!tap.within_bound()) beyond.insert(tap.operation);
  return beyond;
}

ReplayModel model_with(const std::string& path, const std::function<void(ModelConfig&)>& change) {
  const ModelCapture capture(path);
  ModelConfig config = parse_model_config(capture.config_json(), path);
  change(config);
  ModelWeights weights = load_model(config, weights_of(capture));
  return {std::move(config), std::move(weights)};
}

TEST(TightBounds, AnEpsilonTenTimesTooLargeLeavesThem) {
  const std::string path = golden_path("tiny_short");
  ReplayModel model = model_with(path, [](ModelConfig& config) { config.indexer.norm_epsilon *= 10; });
  EXPECT_EQ(operations_beyond(path, hf_cpu_profile(), std::move(model),
                              {"model.layers.0.linear_attn.norm/out", "model.layers.3.self_attn.q_norm/out"}),
            (std::set<std::string>{"attention.query_norm", "delta_net.gated_norm"}));
}

TEST(TightBounds, RouterWeightsThatAreNotRenormalisedLeaveThem) {
  const std::string path = golden_path("tiny_short");
  ReplayModel model = model_with(path, [](ModelConfig& config) { config.renormalise_router = false; });
  EXPECT_EQ(operations_beyond(path, hf_cpu_profile(), std::move(model),
                              {"model.layers.0.mlp.gate/out.1", "model.layers.0.mlp.experts/out"}),
            std::set<std::string>{"router.weights"});
}

TEST(TightBounds, RotaryFrequenciesRoundedToBfloat16LeaveThem) {
  const std::string path = golden_path("tiny_fp32");
  ReplayModel model = load_replay_model(ModelCapture(path));
  for (float& frequency : model.weights.inverse_frequencies)
    frequency = static_cast<float>(round_to(DType::bfloat16, frequency));
  EXPECT_EQ(operations_beyond(path, hf_cpu_profile(), std::move(model), {"state/layers.3/keys"}),
            std::set<std::string>{"attention.keys"});
}

class PositionShift : public testing::TestWithParam<std::int64_t> {};

TEST_P(PositionShift, LeavesTheBounds) {
  const EditedCapture edited("tiny_mrope");
  const ModelCapture::Forward last = ModelCapture(edited.path()).forwards().back();
  edited.change_integers("/forward/" + last.name + "/position_ids", [](std::vector<std::int64_t>& ids) {
    for (std::int64_t& id : ids) id += GetParam();
  });
  EXPECT_EQ(operations_beyond(edited.path(), hf_cpu_profile(), load_replay_model(ModelCapture(edited.path())),
                              {"state/layers.3/keys", "model.layers.3.self_attn/out"}),
            (std::set<std::string>{"attention.keys", "attention.out"}));
}

INSTANTIATE_TEST_SUITE_P(ByOne, PositionShift, testing::Values(-1, 1));

struct OtherRounding {
  const char* name;
  void (*change)(RoundingProfile&);
  const char* tap;
  const char* operation;
};

class RoundingMoved : public testing::TestWithParam<OtherRounding> {};

TEST_P(RoundingMoved, LeavesTheBounds) {
  const std::string path = golden_path("tiny_bf16");
  RoundingProfile profile = hf_cuda_profile();
  const ReplayModel model = load_replay_model(ModelCapture(path));
  EXPECT_TRUE(operations_beyond(path, profile, model, {GetParam().tap}).empty());
  GetParam().change(profile);
  EXPECT_EQ(operations_beyond(path, profile, model, {GetParam().tap}),
            std::set<std::string>{GetParam().operation});
}

INSTANTIATE_TEST_SUITE_P(
    OnBfloat16, RoundingMoved,
    testing::Values(
        OtherRounding{"beta_in_float32", [](RoundingProfile& p) { p.store_beta = false; },
                      "model.layers.0.linear_attn.norm/in", "delta_net.recurrence"},
        OtherRounding{"convolution_in_float32", [](RoundingProfile& p) { p.store_convolution = false; },
                      "model.layers.0.linear_attn.norm/in", "delta_net.recurrence"},
        OtherRounding{"gated_norm_at_once", [](RoundingProfile& p) { p.store_gated_norm_steps = false; },
                      "model.layers.0.linear_attn.norm/out", "delta_net.gated_norm"},
        OtherRounding{"residual_mix_at_once", [](RoundingProfile& p) { p.store_residual_steps = false; },
                      "model.layers.0.attn_hyper_connection/out", "gated_residual.input"},
        OtherRounding{"injection_at_once", [](RoundingProfile& p) { p.store_residual_steps = false; },
                      "model.layers.0/out", "gated_residual.streams"},
        OtherRounding{"trigonometry_in_float32", [](RoundingProfile& p) { p.store_trigonometry = false; },
                      "state/layers.3/keys", "attention.keys"},
        OtherRounding{"rope_at_once", [](RoundingProfile& p) { p.rope = RopeRounding::once; },
                      "state/layers.3/keys", "attention.keys"},
        OtherRounding{"norm_in_float32", [](RoundingProfile& p) { p.store_norm = false; },
                      "model.layers.0.attn_hyper_connection/out", "gated_residual.input"},
        OtherRounding{"router_weights_in_float32", [](RoundingProfile& p) { p.store_router_weights = false; },
                      "model.layers.0.mlp.gate/out.1", "router.weights"},
        OtherRounding{"weight_before_down", [](RoundingProfile& p) { p.weight_before_down = true; },
                      "model.layers.0.mlp.experts/out", "experts"},
        OtherRounding{"attention_scores_in_float32", [](RoundingProfile& p) { p.store_scores = false; },
                      "model.layers.3.self_attn/out", "attention.out"},
        OtherRounding{"attention_gate_in_float32", [](RoundingProfile& p) { p.store_output_gate = false; },
                      "model.layers.3.self_attn/out", "attention.out"},
        OtherRounding{"probabilities_in_float32", [](RoundingProfile& p) { p.store_probabilities = false; },
                      "model.layers.3.self_attn/out", "attention.out"},
        OtherRounding{"probabilities_rounded_first",
                      [](RoundingProfile& p) { p.normalise_after_values = true; },
                      "model.layers.3.self_attn/out", "attention.out"},
        OtherRounding{"query_scaled_first", [](RoundingProfile& p) { p.scale_query = true; },
                      "model.layers.3.self_attn/out", "attention.out"}),
    [](const auto& test) { return std::string(test.param.name); });

// All together: tiny_short alone has too few elements for its largest shares to mean much.
TEST(TightBounds, TheMedianOperationOfTheFloat32GoldensUsesAtLeastThreePercent) {
  std::map<std::string, double> largest;
  for (const char* golden : {"tiny_fp32", "tiny_padded", "tiny_mrope", "tiny_short"}) {
    const ModelCapture capture(golden_path(golden));
    for (const OperationSummary& one :
         summarise(TeacherForcedReplay(capture, hf_cpu_profile()).run(), false)) {
      // Copies have no bound to use.
      if (one.bit_equal < one.elements)
        largest[one.operation] = std::max(largest[one.operation], one.used_share);
    }
  }
  std::vector<double> shares;
  for (const auto& [operation, share] : largest) shares.push_back(share);
  ASSERT_GE(shares.size(), 20u);
  std::ranges::sort(shares);
  EXPECT_GE(shares[shares.size() / 2], 0.03);
}

}  // namespace
}  // namespace plumbline
