#include "oracle/replay/layer_replay.h"

namespace plumbline {
namespace {

struct PleResult {
  Rows<Bounded> out;
  PleState<Bounded> state;
};

/// What the capture recorded after the previous call; an empty history at the start of a sequence.
PleState<Bounded> recorded_history(const ReplayStep& step, std::int64_t layer, const LiveTokens& live,
                                   const PleWeights& ple) {
  PleState<Bounded> past(ple);
  if (step.before == nullptr || live.earlier == 0) return past;
  const Rows<double> ids = step.before->whole(layer_state(layer, "conv_states.2"), live.batch, 1);
  for (std::size_t i = 0; i < past.context.size(); ++i)
    past.context[i] = static_cast<std::int64_t>(ids.numbers[i]);
  past.convolution = by_time(exact_rows(
      step.before->whole(layer_state(layer, "conv_states.1"), live.batch, past.convolution.width)));
  return past;
}

}  // namespace

void replay_ple(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                TapCollector& taps) {
  const LayerWeights& weights = context.weights.layers[static_cast<std::size_t>(layer)];
  if (!weights.ple) return;
  const PleWeights& ple = *weights.ple;
  const RecordedForward& forward = step.forward;
  const std::string embedding = layer_tap(layer, ".ple.ple_embedding/out");
  OncePerSequence<PleResult> embedded([&](const LiveTokens& live) {
    PleResult result{{}, recorded_history(step, layer, live, ple)};
    result.out = ngram_embedding<Bounded>(forward.tokens(live), ple, result.state.context);
    return result;
  });
  OncePerSequence<PleResult> added([&](const LiveTokens& live) {
    PleResult result{{}, recorded_history(step, layer, live, ple)};
    result.out =
        ple_layer(recorded(forward, layer_tap(layer, "/in"), live), recorded(forward, embedding, live), ple,
                  context.arithmetic, result.state.convolution);
    return result;
  });
  taps.compare(forward, embedding, "ple.embedding", 1,
               [&](const LiveTokens& live) { return embedded(live).out; });
  taps.compare_whole(forward, layer_state(layer, "conv_states.2"), "ple.context", 1,
                     [&](const LiveTokens& live) {
                       const std::vector<std::int64_t>& ids = embedded(live).state.context;
                       Rows<Bounded> row(1, static_cast<std::int64_t>(ids.size()));
                       for (std::size_t i = 0; i < ids.size(); ++i)
                         row.numbers[i] = {static_cast<double>(ids[i]), 0};
                       return row;
                     });
  taps.compare(forward, layer_tap(layer, ".ple/out"), "ple.out", 1,
               [&](const LiveTokens& live) { return added(live).out; });
  taps.compare_whole(forward, layer_state(layer, "conv_states.1"), "ple.conv_state",
                     context.config.streams * context.config.indexer.hidden_size,
                     [&](const LiveTokens& live) { return by_channel(added(live).state.convolution); });
}

}  // namespace plumbline
