#include "oracle/replay/layer_replay.h"
#include "reference/model/linear_layer.h"
#include "reference/model/number.h"

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
  taps.compare(forward, module + "/out", "gated_residual.input", 1, [&](const LiveTokens& live) {
    return mix_streams(streams(live), weights, context.arithmetic).input;
  });
  if (!weights.inject) return;
  taps.compare(forward, module + "/out.2", "gated_residual.injection", 1, [&](const LiveTokens& live) {
    return mix_streams(streams(live), weights, context.arithmetic).injection;
  });
}

Rows<Bounded> injected(const ReplayContext& context, const RecordedForward& forward, Rows<Bounded> streams,
                       const std::string& output, const std::string& module, const LiveTokens& live) {
  inject_into_streams(recorded(forward, output, live), recorded(forward, module + "/out.2", live),
                      context.arithmetic, streams);
  return streams;
}

}  // namespace

void replay_residuals(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                      TapCollector& taps) {
  const RecordedForward& forward = step.forward;
  const LayerWeights& weights = context.weights.layers[static_cast<std::size_t>(layer)];
  const std::string before = layer_tap(layer, ".attn_hyper_connection"),
                    after = layer_tap(layer, ".mlp_hyper_connection");
  const std::string mixer = layer_tap(layer, weights.delta_net ? ".linear_attn/out" : ".self_attn/out");
  replay_mix(context, forward, before, weights.attention_residual, taps,
             [&](const LiveTokens& live) { return streams_of_layer(context, forward, layer, live); });
  taps.compare(forward, after + "/out.1", "gated_residual.streams", 1, [&](const LiveTokens& live) {
    return injected(context, forward, streams_of_layer(context, forward, layer, live), mixer, before, live);
  });
  replay_mix(context, forward, after, weights.mlp_residual, taps,
             [&](const LiveTokens& live) { return recorded(forward, after + "/out.1", live); });
  taps.compare(forward, layer_tap(layer, "/out"), "gated_residual.streams", 1, [&](const LiveTokens& live) {
    return injected(context, forward, recorded(forward, after + "/out.1", live), layer_tap(layer, ".mlp/out"),
                    after, live);
  });
}

void replay_ple(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                TapCollector& taps) {
  const LayerWeights& weights = context.weights.layers[static_cast<std::size_t>(layer)];
  if (!weights.ple) return;
  const PleWeights& ple = *weights.ple;
  const std::string state = "state/layers." + std::to_string(layer) + "/conv_states.";
  const auto history = [&](const LiveTokens& live) {
    PleState<Bounded> past(ple);
    if (step.before == nullptr || live.earlier == 0) return past;
    const Rows<double> ids = step.before->whole(state + "2", live.batch, 1);
    for (std::size_t i = 0; i < past.context.size(); ++i)
      past.context[i] = static_cast<std::int64_t>(ids.numbers[i]);
    past.convolution =
        by_time(exact_rows(step.before->whole(state + "1", live.batch, past.convolution.width)));
    return past;
  };
  taps.compare(step.forward, layer_tap(layer, ".ple.ple_embedding/out"), "ple.embedding", 1,
               [&](const LiveTokens& live) {
                 PleState<Bounded> past = history(live);
                 return ngram_embedding<Bounded>(step.forward.tokens(live), ple, past.context);
               });
  taps.compare(step.forward, layer_tap(layer, ".ple/out"), "ple.out", 1, [&](const LiveTokens& live) {
    PleState<Bounded> past = history(live);
    return ple_layer(recorded(step.forward, layer_tap(layer, "/in"), live),
                     recorded(step.forward, layer_tap(layer, ".ple.ple_embedding/out"), live), ple,
                     context.arithmetic, past.convolution);
  });
}

void replay_experts(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                    TapCollector& taps) {
  const RecordedForward& forward = step.forward;
  const MixtureOfExpertsWeights& weights = context.weights.layers[static_cast<std::size_t>(layer)].experts;
  const std::string mlp = layer_tap(layer, ".mlp");
  const auto input = [&](const LiveTokens& live) { return recorded(forward, mlp + "/in", live); };
  const auto routing = [&](const LiveTokens& live) {
    std::vector<std::int64_t> experts;
    for (const double expert : forward.live_rows(mlp + ".gate/out.2", live).numbers) {
      experts.push_back(static_cast<std::int64_t>(expert));
    }
    return route_to<Bounded>(recorded(forward, mlp + ".gate/out", live), experts, weights,
                             context.arithmetic);
  };
  taps.compare(forward, mlp + ".gate/out", "router.logits", 1, [&](const LiveTokens& live) {
    return linear_layer(input(live), weights.router, context.arithmetic);
  });
  if (!forward.has(mlp + ".gate/out.2")) return;
  taps.compare(forward, mlp + ".gate/out.1", "router.weights", 1,
               [&](const LiveTokens& live) { return routing(live).weights; });
  taps.compare(forward, mlp + ".experts/out", "experts", 1, [&](const LiveTokens& live) {
    Routing<Bounded> chosen = routing(live);
    chosen.weights = recorded(forward, mlp + ".gate/out.1", live);
    return routed_experts(input(live), chosen, context.expert_sum, weights, context.arithmetic);
  });
  taps.compare(forward, mlp + ".shared_expert/out", "shared_expert", 1, [&](const LiveTokens& live) {
    return gated_mlp(input(live), weights.shared, context.arithmetic);
  });
  taps.compare(forward, mlp + "/out", "mlp.out", 1, [&](const LiveTokens& live) {
    return add_shared_expert(input(live), recorded(forward, mlp + ".experts/out", live),
                             recorded(forward, mlp + ".shared_expert/out", live), weights,
                             context.arithmetic);
  });
}

}  // namespace plumbline
