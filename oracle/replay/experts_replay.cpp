#include "oracle/replay/layer_replay.h"
#include "reference/model/linear_layer.h"

namespace plumbline {

void replay_experts(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                    TapCollector& taps) {
  const RecordedForward& forward = step.forward;
  const MixtureOfExpertsWeights& weights = context.weights.layers[static_cast<std::size_t>(layer)].experts;
  const std::string mlp = layer_tap(layer, ".mlp");
  const auto input = [&](const LiveTokens& live) { return recorded(forward, mlp + "/in", live); };
  OncePerSequence<Routing<Bounded>> routing([&](const LiveTokens& live) {
    std::vector<std::int64_t> experts;
    for (const double expert : forward.live_rows(mlp + ".gate/out.2", live).numbers) {
      experts.push_back(static_cast<std::int64_t>(expert));
    }
    return route_to<Bounded>(recorded(forward, mlp + ".gate/out", live), experts, weights,
                             context.arithmetic);
  });
  taps.compare(forward, mlp + ".gate/out", "router.logits", 1, [&](const LiveTokens& live) {
    return linear_layer(input(live), weights.router, context.arithmetic);
  });
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
