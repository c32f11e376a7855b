#include "fixtures/error.h"
#include "oracle/replay/layer_replay.h"
#include "oracle/replay/router_choice.h"
#include "reference/model/linear_layer.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

/// Each live token's experts, [tokens, chosen].
std::vector<std::int64_t> recorded_choice(const RecordedForward& forward, const std::string& dataset,
                                          const LiveTokens& live, const MixtureOfExpertsWeights& weights) {
  const Rows<double> numbers = forward.live_rows(dataset, live);
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw InputError(
        fmt::format("/forward/{}/{}: expected {}, found {}", forward.name(), dataset, expected, found));
  };
  if (numbers.width != weights.chosen)
    refuse(fmt::format("{} experts a token", weights.chosen), std::to_string(numbers.width));
  std::vector<std::int64_t> experts;
  for (const double number : numbers.numbers) {
    const auto count = static_cast<double>(weights.experts.size());
    if (!(number >= 0 && number < count))
      refuse(fmt::format("experts in [0, {})", count), std::to_string(number));
    experts.push_back(static_cast<std::int64_t>(number));
  }
  return experts;
}

}  // namespace

void replay_experts(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                    TapCollector& taps) {
  const RecordedForward& forward = step.forward;
  const MixtureOfExpertsWeights& weights = context.weights.layers[static_cast<std::size_t>(layer)].experts;
  const std::string mlp = layer_tap(layer, ".mlp");
  const auto input = [&](const LiveTokens& live) { return recorded(forward, mlp + "/in", live); };
  OncePerSequence<Routing<Bounded>> routing([&](const LiveTokens& live) {
    return route_to<Bounded>(recorded(forward, mlp + ".gate/out", live),
                             recorded_choice(forward, mlp + ".gate/out.2", live, weights), weights,
                             context.arithmetic);
  });
  taps.compare(forward, mlp + ".gate/out", "router.logits", 1, [&](const LiveTokens& live) {
    return linear_layer(input(live), weights.router, context.arithmetic);
  });
  taps.compare(forward, mlp + ".gate/out.2", "router.choice", 1, [&](const LiveTokens& live) {
    return followed_choice(recorded(forward, mlp + ".gate/out", live),
                           recorded_choice(forward, mlp + ".gate/out.2", live, weights), weights,
                           context.arithmetic);
  });
  taps.compare(forward, mlp + ".gate/out.1", "router.weights", 1,
               [&](const LiveTokens& live) { return routing(live).weights; });
  taps.compare(forward, mlp + ".experts/out", "experts", 1, [&](const LiveTokens& live) {
    Routing<Bounded> chosen = routing(live);
    chosen.weights = recorded(forward, mlp + ".gate/out.1", live);
    return routed_experts(input(live), chosen, context.expert_sum, weights, context.arithmetic);
  });
  taps.compare(forward, mlp + ".shared_expert/out", "shared_expert", 1, [&](const LiveTokens& live) {
    return gated_mlp(input(live), weights.shared, weights.activation, context.arithmetic);
  });
  taps.compare(forward, mlp + "/out", "mlp.out", 1, [&](const LiveTokens& live) {
    return add_shared_expert(input(live), recorded(forward, mlp + ".experts/out", live),
                             recorded(forward, mlp + ".shared_expert/out", live), weights,
                             context.arithmetic);
  });
}

}  // namespace plumbline
