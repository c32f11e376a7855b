#pragma once

#include "reference/model/activation.h"
#include "reference/model/engine_arithmetic.h"
#include "reference/model/rows.h"
#include "reference/numeric/linear.h"

#include <optional>
#include <span>
#include <vector>

namespace plumbline {

/// A gated MLP: down · (act(gate·x) ⊙ up·x).
struct GatedMlpWeights {
  LinearWeight gate, up;  ///< [intermediate, hidden]
  LinearWeight down;      ///< [hidden, intermediate]
};
template <typename Number>
Rows<Number> gated_mlp(const Rows<Number>& x, const GatedMlpWeights& weights, Activation activation,
                       const BasicEngineArithmetic<Number>& arithmetic);

/// How the chosen experts' outputs of one token are added.
enum class ExpertSum : std::uint8_t {
  /// In ascending expert order into a stored accumulator: one rounding to storage per expert ("eager").
  ascending_stored,
  /// All at once in float32, rounded to storage once ("grouped_mm").
  at_once,
};

struct MixtureOfExpertsWeights {
  std::int64_t chosen = 10;  ///< experts per token
  bool renormalise = true;   ///< norm_topk_prob
  Activation activation = Activation::silu;
  LinearWeight router;  ///< [experts, hidden]
  std::vector<GatedMlpWeights> experts;
  GatedMlpWeights shared;
  LinearWeight shared_gate;  ///< [1, hidden]
};

/// Experts of each token and their weights, [tokens, chosen], in descending order of probability.
template <typename Number>
struct Routing {
  std::int64_t chosen = 0;
  std::vector<std::int64_t> experts;
  Rows<Number> weights;
};

/// Softmax over the experts, the `chosen` largest (equal probabilities: the lower expert first), divided by
/// their sum where renormalised.
template <typename Number>
Routing<Number> route(const Rows<Number>& logits, const MixtureOfExpertsWeights& weights,
                      const BasicEngineArithmetic<Number>& arithmetic);
/// The weights of a given choice [tokens, chosen], by the same formula: for replaying an engine that chose
/// otherwise among equal probabilities.
template <typename Number>
Routing<Number> route_to(const Rows<Number>& logits, std::span<const std::int64_t> experts,
                         const MixtureOfExpertsWeights& weights,
                         const BasicEngineArithmetic<Number>& arithmetic);

/// Σ weight·expert(x) over each token's experts.
template <typename Number>
Rows<Number> routed_experts(const Rows<Number>& x, const Routing<Number>& routing, ExpertSum order,
                            const MixtureOfExpertsWeights& weights,
                            const BasicEngineArithmetic<Number>& arithmetic);
/// routed + σ(shared_gate·x)·shared.
template <typename Number>
Rows<Number> add_shared_expert(const Rows<Number>& x, const Rows<Number>& routed, const Rows<Number>& shared,
                               const MixtureOfExpertsWeights& weights,
                               const BasicEngineArithmetic<Number>& arithmetic);

/// The whole block.
template <typename Number>
Rows<Number> mixture_of_experts(const Rows<Number>& x, ExpertSum order,
                                const MixtureOfExpertsWeights& weights,
                                const BasicEngineArithmetic<Number>& arithmetic);

}  // namespace plumbline
