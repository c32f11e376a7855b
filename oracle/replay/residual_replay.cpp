#include "fixtures/error.h"
#include "oracle/replay/layer_replay.h"
#include "reference/model/number.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

/// A layer's input streams with what its PLE adds.
Rows<Bounded> streams_of_layer(const ReplayContext& context, const RecordedForward& forward,
                               std::int64_t layer, const LiveTokens& live) {
  Rows<Bounded> streams = recorded(forward, layer_tap(layer, "/in"), live);
  if (const std::string ple = layer_tap(layer, ".ple/out"); forward.has(ple)) {
    const Rows<Bounded> added = recorded(forward, ple, live);
    for (std::size_t i = 0; i < streams.numbers.size(); ++i) {
      streams.numbers[i] = context.arithmetic.stored(streams.numbers[i] + added.numbers[i]);
    }
  }
  return streams;
}

void replay_mix(const ReplayContext& context, const RecordedForward& forward, const std::string& module,
                const GatedResidualWeights& weights, TapCollector& taps,
                const std::function<Rows<Bounded>(const LiveTokens&)>& streams) {
  OncePerSequence<MixedStreams<Bounded>> mixed(
      [&](const LiveTokens& live) { return mix_streams(streams(live), weights, context.arithmetic); });
  taps.compare(forward, module + "/out", "gated_residual.input", 1,
               [&](const LiveTokens& live) { return mixed(live).input; });
  if (!weights.inject) return;
  taps.compare(forward, module + "/out.2", "gated_residual.injection", 1,
               [&](const LiveTokens& live) { return mixed(live).injection; });
}

Rows<Bounded> injected(const ReplayContext& context, const RecordedForward& forward, Rows<Bounded> streams,
                       const std::string& output, const std::string& module, const LiveTokens& live) {
  inject_into_streams(recorded(forward, output, live), recorded(forward, module + "/out.2", live),
                      context.arithmetic, streams);
  return streams;
}

/// Each token's embedding, once per stream.
Rows<Bounded> embedded(const ReplayContext& context, const RecordedForward& forward, const LiveTokens& live) {
  const std::int64_t hidden = context.config.indexer.hidden_size, streams = context.config.streams;
  const std::vector<std::int64_t> tokens = forward.tokens(live);
  Rows<Bounded> out(live.count, streams * hidden);
  for (std::int64_t t = 0; t < live.count; ++t) {
    const std::int64_t token = tokens[static_cast<std::size_t>(t)];
    if (token < 0 || token >= context.config.vocab_size) {
      throw InputError(fmt::format("/forward/{}/input_ids: expected tokens in [0, {}), found {}",
                                   forward.name(), context.config.vocab_size, token));
    }
    for (std::int64_t i = 0; i < streams * hidden; ++i) {
      out.row(t)[static_cast<std::size_t>(i)] = {
          context.weights.embedding[static_cast<std::size_t>(token * hidden + i % hidden)], 0};
    }
  }
  return out;
}

std::string mixer_module(const LayerWeights& weights) {
  return weights.delta_net ? ".linear_attn" : ".self_attn";
}

}  // namespace

void replay_layer_input(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                        TapCollector& taps) {
  const RecordedForward& forward = step.forward;
  const std::string input = layer_tap(layer, "/in");
  if (layer == 0) {
    taps.compare(forward, input, "embedding", 1,
                 [&](const LiveTokens& live) { return embedded(context, forward, live); });
  } else if (const std::string before = layer_tap(layer - 1, "/out"); forward.has(before)) {
    taps.compare(forward, input, "handed_over", 1,
                 [&](const LiveTokens& live) { return recorded(forward, before, live); });
  }
}

void replay_mixer_input(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                        TapCollector& taps) {
  const RecordedForward& forward = step.forward;
  replay_mix(context, forward, layer_tap(layer, ".attn_hyper_connection"),
             context.weights.layers[static_cast<std::size_t>(layer)].attention_residual, taps,
             [&](const LiveTokens& live) { return streams_of_layer(context, forward, layer, live); });
}

void replay_experts_input(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                          TapCollector& taps) {
  const RecordedForward& forward = step.forward;
  const LayerWeights& weights = context.weights.layers[static_cast<std::size_t>(layer)];
  const std::string before = layer_tap(layer, ".attn_hyper_connection"),
                    after = layer_tap(layer, ".mlp_hyper_connection"),
                    mixer = layer_tap(layer, mixer_module(weights) + "/out");
  taps.compare(forward, after + "/out.1", "gated_residual.streams", 1, [&](const LiveTokens& live) {
    return injected(context, forward, streams_of_layer(context, forward, layer, live), mixer, before, live);
  });
  replay_mix(context, forward, after, weights.mlp_residual, taps,
             [&](const LiveTokens& live) { return recorded(forward, after + "/out.1", live); });
  taps.compare(forward, layer_tap(layer, ".mlp/in"), "handed_over", 1,
               [&](const LiveTokens& live) { return recorded(forward, after + "/out", live); });
}

void replay_layer_output(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                         TapCollector& taps) {
  const RecordedForward& forward = step.forward;
  const std::string after = layer_tap(layer, ".mlp_hyper_connection");
  taps.compare(forward, layer_tap(layer, "/out"), "gated_residual.streams", 1, [&](const LiveTokens& live) {
    return injected(context, forward, recorded(forward, after + "/out.1", live), layer_tap(layer, ".mlp/out"),
                    after, live);
  });
}

}  // namespace plumbline
