#include "reference/model/mixture_of_experts.h"

#include "reference/model/linear_layer.h"
#include "reference/model/number.h"
#include "reference/model/softmax.h"

#include <algorithm>
#include <numeric>

namespace plumbline {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

template <typename Number>
std::vector<Number> probabilities_of(std::span<const Number> logits,
                                     const BasicEngineArithmetic<Number>& arithmetic) {
  std::vector<Number> probabilities(logits.begin(), logits.end());
  softmax<Number>(probabilities, arithmetic);
  return probabilities;
}

/// Weights of `experts` among `probabilities`.
template <typename Number>
void weights_of(std::span<const Number> probabilities, std::span<const std::int64_t> experts,
                bool renormalise, const BasicEngineArithmetic<Number>& arithmetic, std::span<Number> out) {
  for (std::size_t slot = 0; slot < experts.size(); ++slot) out[slot] = probabilities[at(experts[slot])];
  if (renormalise) {
    const Number sum = arithmetic.step(arithmetic.sum(std::span<const Number>(out)));
    for (Number& weight : out) weight = arithmetic.quotient(weight, sum);
  }
  for (Number& weight : out) {
    weight = arithmetic.stored_if(arithmetic.profile().store_router_weights, weight);
  }
}

/// Adds a token's weighted expert outputs, one [1, hidden] row per slot.
template <typename Number>
void add_experts(const std::vector<Rows<Number>>& outputs, std::span<const std::int64_t> experts,
                 ExpertSum order, const BasicEngineArithmetic<Number>& arithmetic, std::span<Number> out) {
  std::vector<std::size_t> slots(outputs.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  if (order == ExpertSum::ascending_stored) {
    std::sort(slots.begin(), slots.end(),
              [&](std::size_t a, std::size_t b) { return experts[a] < experts[b]; });
  }
  std::vector<Number> terms(outputs.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (order == ExpertSum::at_once) {
      for (std::size_t slot = 0; slot < slots.size(); ++slot) terms[slot] = outputs[slot].numbers[i];
      out[i] = arithmetic.stored(arithmetic.sum(std::span<const Number>(terms)));
    } else {
      Number sum{};
      for (const std::size_t slot : slots) sum = arithmetic.stored(sum + outputs[slot].numbers[i]);
      out[i] = sum;
    }
  }
}

/// act(gate·x) ⊙ up·x.
template <typename Number>
Rows<Number> gated_intermediate(const Rows<Number>& x, const GatedMlpWeights& weights, Activation activation,
                                const BasicEngineArithmetic<Number>& arithmetic) {
  Rows<Number> gate = linear_layer(x, weights.gate, arithmetic);
  const Rows<Number> up = linear_layer(x, weights.up, arithmetic);
  for (std::size_t i = 0; i < gate.numbers.size(); ++i) {
    gate.numbers[i] = arithmetic.stored(
        arithmetic.stored(activated(activation, gate.numbers[i], arithmetic)) * up.numbers[i]);
  }
  return gate;
}

template <typename Number>
Rows<Number> weighted(Rows<Number> x, Number weight, const BasicEngineArithmetic<Number>& arithmetic) {
  for (Number& number : x.numbers) number = arithmetic.stored(number * weight);
  return x;
}

}  // namespace

template <typename Number>
Rows<Number> gated_mlp(const Rows<Number>& x, const GatedMlpWeights& weights, Activation activation,
                       const BasicEngineArithmetic<Number>& arithmetic) {
  return linear_layer(gated_intermediate(x, weights, activation, arithmetic), weights.down, arithmetic);
}

template <typename Number>
Routing<Number> route(const Rows<Number>& logits, const MixtureOfExpertsWeights& weights,
                      const BasicEngineArithmetic<Number>& arithmetic) {
  std::vector<std::int64_t> experts, order(at(logits.width));
  for (std::int64_t t = 0; t < logits.rows; ++t) {
    const std::vector<Number> probabilities = probabilities_of(logits.row(t), arithmetic);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return value_of(probabilities[at(a)]) > value_of(probabilities[at(b)]);
    });
    experts.insert(experts.end(), order.begin(), order.begin() + weights.chosen);
  }
  return route_to<Number>(logits, experts, weights, arithmetic);
}

template <typename Number>
Routing<Number> route_to(const Rows<Number>& logits, std::span<const std::int64_t> experts,
                         const MixtureOfExpertsWeights& weights,
                         const BasicEngineArithmetic<Number>& arithmetic) {
  Routing<Number> routing{
      weights.chosen, {experts.begin(), experts.end()}, Rows<Number>(logits.rows, weights.chosen)};
  for (std::int64_t t = 0; t < logits.rows; ++t) {
    const std::vector<Number> probabilities = probabilities_of(logits.row(t), arithmetic);
    weights_of<Number>(probabilities, experts.subspan(at(t * weights.chosen), at(weights.chosen)),
                       weights.renormalise, arithmetic, routing.weights.row(t));
  }
  return routing;
}

template <typename Number>
Rows<Number> routed_experts(const Rows<Number>& x, const Routing<Number>& routing, ExpertSum order,
                            const MixtureOfExpertsWeights& weights,
                            const BasicEngineArithmetic<Number>& arithmetic) {
  Rows<Number> out(x.rows, x.width);
  for (std::int64_t t = 0; t < x.rows; ++t) {
    Rows<Number> token(1, x.width);
    std::copy(x.row(t).begin(), x.row(t).end(), token.numbers.begin());
    const std::span<const std::int64_t> experts =
        std::span(routing.experts).subspan(at(t * routing.chosen), at(routing.chosen));
    std::vector<Rows<Number>> outputs;
    for (std::size_t slot = 0; slot < experts.size(); ++slot) {
      const GatedMlpWeights& expert = weights.experts[at(experts[slot])];
      const Number weight = routing.weights.row(t)[slot];
      Rows<Number> inside = gated_intermediate(token, expert, weights.activation, arithmetic);
      if (arithmetic.profile().weight_before_down) {
        outputs.push_back(
            linear_layer(weighted(std::move(inside), weight, arithmetic), expert.down, arithmetic));
      } else {
        outputs.push_back(weighted(linear_layer(inside, expert.down, arithmetic), weight, arithmetic));
      }
    }
    add_experts(outputs, experts, order, arithmetic, out.row(t));
  }
  return out;
}

template <typename Number>
Rows<Number> add_shared_expert(const Rows<Number>& x, const Rows<Number>& routed, const Rows<Number>& shared,
                               const MixtureOfExpertsWeights& weights,
                               const BasicEngineArithmetic<Number>& arithmetic) {
  const Rows<Number> gate = linear_layer(x, weights.shared_gate, arithmetic);
  Rows<Number> out(x.rows, x.width);
  for (std::int64_t t = 0; t < x.rows; ++t) {
    const Number open = arithmetic.stored(arithmetic.sigmoid(gate.row(t)[0]));
    for (std::size_t i = 0; i < out.row(t).size(); ++i) {
      out.row(t)[i] = arithmetic.stored(routed.row(t)[i] + arithmetic.stored(open * shared.row(t)[i]));
    }
  }
  return out;
}

template <typename Number>
Rows<Number> mixture_of_experts(const Rows<Number>& x, ExpertSum order,
                                const MixtureOfExpertsWeights& weights,
                                const BasicEngineArithmetic<Number>& arithmetic) {
  const Routing<Number> routing = route(linear_layer(x, weights.router, arithmetic), weights, arithmetic);
  const Rows<Number> routed = routed_experts(x, routing, order, weights, arithmetic);
  return add_shared_expert(x, routed, gated_mlp(x, weights.shared, weights.activation, arithmetic), weights,
                           arithmetic);
}

#define PLUMBLINE_INSTANTIATE(Number)                                                                      \
  template Rows<Number> gated_mlp(const Rows<Number>&, const GatedMlpWeights&, Activation,                 \
                                  const BasicEngineArithmetic<Number>&);                                   \
  template Routing<Number> route(const Rows<Number>&, const MixtureOfExpertsWeights&,                      \
                                 const BasicEngineArithmetic<Number>&);                                    \
  template Routing<Number> route_to(const Rows<Number>&, std::span<const std::int64_t>,                    \
                                    const MixtureOfExpertsWeights&, const BasicEngineArithmetic<Number>&); \
  template Rows<Number> routed_experts(const Rows<Number>&, const Routing<Number>&, ExpertSum,             \
                                       const MixtureOfExpertsWeights&,                                     \
                                       const BasicEngineArithmetic<Number>&);                              \
  template Rows<Number> add_shared_expert(const Rows<Number>&, const Rows<Number>&, const Rows<Number>&,   \
                                          const MixtureOfExpertsWeights&,                                  \
                                          const BasicEngineArithmetic<Number>&);                           \
  template Rows<Number> mixture_of_experts(const Rows<Number>&, ExpertSum, const MixtureOfExpertsWeights&, \
                                           const BasicEngineArithmetic<Number>&);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline
