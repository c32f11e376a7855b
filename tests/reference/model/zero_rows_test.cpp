#include "reference/model/linear_layer.h"
#include "tests/reference/model/tiny_sequence.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

// CASES.md A7: an idle data-parallel rank runs every operation on no rows. None may fail, nor move a state.

const BasicEngineArithmetic<double> kFloat(hf_cuda_profile(), DType::bfloat16);
const Rows<double> kNothing(0, 32), kNoStreams(0, 128);

struct Layers {
  ModelConfig config = parse_model_config(tiny_config("bfloat16").dump(), "tiny");
  NamedTensors parameters = random_parameters(config);
  ModelWeights weights = load_model(config, source_of(parameters));
};
const Layers& layers() {
  static const Layers all;
  return all;
}

TEST(ZeroRows, EveryOperationWithoutAState) {
  const LayerWeights& layer = layers().weights.layers[0];
  const GatedDeltaNetWeights& delta_net = *layer.delta_net;
  EXPECT_EQ(linear_layer(kNothing, delta_net.qkv, kFloat).rows, 0);
  EXPECT_EQ(grouped_rmsnorm(kNoStreams, layer.attention_residual.norm, 4, 1e-6, kFloat).rows, 0);
  const MixedStreams<double> mixed = mix_streams(kNoStreams, layer.attention_residual, kFloat);
  EXPECT_EQ(mixed.input.rows, 0);
  EXPECT_EQ(mixed.injection.rows, 0);
  Rows<double> streams = kNoStreams;
  inject_into_streams(mixed.input, mixed.injection, kFloat, streams);
  EXPECT_EQ(streams.rows, 0);
  EXPECT_EQ(gated_mlp(kNothing, layer.experts.shared, Activation::silu, kFloat).rows, 0);
  const Routing<double> routing = route(Rows<double>(0, 4), layer.experts, kFloat);
  EXPECT_TRUE(routing.experts.empty());
  for (const ExpertSum order : {ExpertSum::ascending_stored, ExpertSum::at_once}) {
    EXPECT_EQ(routed_experts(kNothing, routing, order, layer.experts, kFloat).rows, 0);
    EXPECT_EQ(mixture_of_experts(kNothing, order, layer.experts, kFloat).rows, 0);
  }
  EXPECT_EQ(add_shared_expert(kNothing, kNothing, kNothing, layer.experts, kFloat).rows, 0);
  EXPECT_EQ(gated_norm(Rows<double>(0, 8), kNothing, delta_net, kFloat).rows, 0);
}

TEST(ZeroRows, ADeltaNetInEveryForm) {
  const GatedDeltaNetWeights& weights = *layers().weights.layers[0].delta_net;
  for (const DeltaRuleForm form :
       {DeltaRuleForm::recurrent, DeltaRuleForm::chunked, DeltaRuleForm::chunked_on_grid}) {
    for (const std::int64_t before : {0, 3, 64}) {
      GatedDeltaNetState<double> state(weights);
      Rows<double> x(before, 32);
      for (std::size_t i = 0; i < x.numbers.size(); ++i) x.numbers[i] = i % 5 == 0 ? 0.5 : -0.25;
      gated_delta_net(x, weights, form, kFloat, state);
      const GatedDeltaNetState<double> same = state;
      EXPECT_EQ(gated_delta_net(kNothing, weights, form, kFloat, state).rows, 0);
      EXPECT_EQ(state.convolution.numbers, same.convolution.numbers);
      EXPECT_EQ(state.earlier.numbers, same.earlier.numbers);
      for (std::size_t head = 0; head < state.heads.size(); ++head)
        EXPECT_EQ(state.heads[head].numbers, same.heads[head].numbers);
      if (form != DeltaRuleForm::chunked_on_grid || before == 0) continue;
      for (std::size_t head = 0; head < state.grid.size(); ++head) {
        ASSERT_EQ(state.grid[head].size(), same.grid[head].size());
        EXPECT_EQ(state.grid[head].back().tokens(), same.grid[head].back().tokens());
      }
    }
  }
}

TEST(ZeroRows, AnAttentionLayer) {
  const Layers& all = layers();
  const QsaLayer layer(all.config, *all.weights.layers[3].attention, all.weights.inverse_frequencies,
                       hf_cuda_profile());
  QsaState<double> state = layer.new_state<double>();
  EXPECT_EQ(layer.forward(kNothing, {}, kFloat, state).rows, 0);
  EXPECT_EQ(state.keys.rows, 0);
  EXPECT_EQ(state.index->tokens(), 0);
  EXPECT_EQ(state.index->keys().tensor.extent(0), 0);
}

TEST(ZeroRows, TheWholeModelWithAndWithoutTokensBefore) {
  const Qwen4Exp& model = model_of(hf_cuda_profile());
  for (const std::int64_t before : {0, 1, 9, 64}) {
    ModelCache cache = fresh(model, before);
    const ModelCache same = cache;
    const Rows<double> logits = model.forward({}, {}, cache);
    EXPECT_EQ(logits.rows, 0);
    EXPECT_EQ(logits.width, 151);
    model.roll_back(cache, before);
    EXPECT_EQ(difference(cache, same), "") << before;
  }
}

}  // namespace
}  // namespace plumbline
