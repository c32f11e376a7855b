#include "oracle/replay/layer_replay.h"
#include "reference/model/linear_layer.h"
#include "reference/model/number.h"

namespace plumbline {
namespace {

/// The state the capture recorded after the previous call; zeros at the start of a sequence. Engines keep the
/// convolution's inputs as [channels, taps], the oldest of which no filter reaches any more.
GatedDeltaNetState<Bounded> recorded_state(const ReplayStep& step, std::int64_t layer, const LiveTokens& live,
                                           const GatedDeltaNetWeights& weights) {
  GatedDeltaNetState<Bounded> state(weights);
  if (step.before == nullptr || live.earlier == 0) return state;
  Rows<Bounded> columns = by_time(
      exact_rows(step.before->whole(layer_state(layer, "conv_states.0"), live.batch, weights.channels())));
  const std::int64_t extra = columns.rows - state.convolution.rows;
  columns.numbers.erase(columns.numbers.begin(), columns.numbers.begin() + extra * columns.width);
  columns.rows -= extra;
  state.convolution = std::move(columns);
  const Rows<Bounded> heads = exact_rows(step.before->whole(
      layer_state(layer, "recurrent_states.0"), live.batch, weights.value_heads * weights.key_dim));
  for (std::size_t head = 0; head < state.heads.size(); ++head) {
    const auto size = static_cast<std::ptrdiff_t>(weights.key_dim * weights.value_dim);
    const auto from = heads.numbers.begin() + static_cast<std::ptrdiff_t>(head) * size;
    state.heads[head].numbers.assign(from, from + size);
  }
  return state;
}

/// The last `taps` inputs of the convolution as [channels, taps], zeros before the sequence.
Rows<Bounded> convolution_inputs(const ReplayStep& step, std::int64_t layer, const LiveTokens& live,
                                 const GatedDeltaNetWeights& weights, const Rows<Bounded>& projected) {
  const std::int64_t taps = weights.convolution.taps;
  Rows<Bounded> all(taps, weights.channels());
  if (step.before != nullptr && live.earlier > 0) {
    all = by_time(
        exact_rows(step.before->whole(layer_state(layer, "conv_states.0"), live.batch, weights.channels())));
  }
  all.numbers.insert(all.numbers.end(), projected.numbers.begin(), projected.numbers.end());
  all.numbers.erase(all.numbers.begin(), all.numbers.end() - taps * weights.channels());
  all.rows = taps;
  return by_channel(all);
}

}  // namespace

void replay_delta_net(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                      TapCollector& taps) {
  const LayerWeights& layer_weights = context.weights.layers[static_cast<std::size_t>(layer)];
  if (!layer_weights.delta_net) return;
  const GatedDeltaNetWeights& weights = *layer_weights.delta_net;
  const EngineArithmetic& arithmetic = context.arithmetic;
  const RecordedForward& forward = step.forward;
  const std::string module = layer_tap(layer, ".linear_attn"),
                    input = layer_tap(layer, ".attn_hyper_connection/out");

  struct Recurrence {
    Rows<Bounded> out;
    GatedDeltaNetState<Bounded> state;
  };
  OncePerSequence<Recurrence> recurrence([&](const LiveTokens& live) {
    const Rows<Bounded> x = recorded(forward, input, live);
    Recurrence result{{}, recorded_state(step, layer, live, weights)};
    // A call of one token over a cache takes the recurrent form (MODEL.md §2, GDN).
    const bool single = live.count == 1 && step.before != nullptr && live.earlier > 0;
    result.out = delta_rule_of_projection(
        recorded(forward, module + ".in_proj_qkv/out", live), linear_layer(x, weights.b, arithmetic),
        linear_layer(x, weights.a, arithmetic), weights,
        single ? DeltaRuleForm::recurrent : DeltaRuleForm::chunked, arithmetic, result.state);
    return result;
  });
  taps.compare(forward, module + ".in_proj_qkv/out", "delta_net.projection", 1, [&](const LiveTokens& live) {
    return linear_layer(recorded(forward, input, live), weights.qkv, arithmetic);
  });
  taps.compare_whole(forward, layer_state(layer, "conv_states.0"), "delta_net.conv_state", weights.channels(),
                     [&](const LiveTokens& live) {
                       return convolution_inputs(step, layer, live, weights,
                                                 recorded(forward, module + ".in_proj_qkv/out", live));
                     });
  taps.compare(forward, module + ".norm/in", "delta_net.recurrence", weights.value_heads,
               [&](const LiveTokens& live) { return recurrence(live).out; });
  taps.compare_whole(forward, layer_state(layer, "recurrent_states.0"), "delta_net.state",
                     weights.value_heads * weights.key_dim, [&](const LiveTokens& live) {
                       const GatedDeltaNetState<Bounded>& state = recurrence(live).state;
                       Rows<Bounded> all(weights.value_heads * weights.key_dim, weights.value_dim);
                       auto to = all.numbers.begin();
                       for (const Rows<Bounded>& head : state.heads) {
                         to = std::copy(head.numbers.begin(), head.numbers.end(), to);
                       }
                       return all;
                     });
  taps.compare(forward, module + ".norm/out", "delta_net.gated_norm", weights.value_heads,
               [&](const LiveTokens& live) {
                 const Rows<Bounded> z = linear_layer(recorded(forward, input, live), weights.z, arithmetic);
                 return gated_norm(recorded(forward, module + ".norm/in", live, weights.value_heads), z,
                                   weights, arithmetic);
               });
  taps.compare(forward, module + "/out", "delta_net.out", 1, [&](const LiveTokens& live) {
    return linear_layer(
        reshaped(recorded(forward, module + ".norm/out", live, weights.value_heads), live.count), weights.out,
        arithmetic);
  });
}

}  // namespace plumbline
