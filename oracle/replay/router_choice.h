#pragma once

#include "reference/model/bounded.h"
#include "reference/model/engine_arithmetic.h"
#include "reference/model/mixture_of_experts.h"
#include "reference/model/rows.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// Whether an engine may have chosen `experts` of one token, largest probability first: all different, and no
/// expert left out or named later certainly above one named before. Engines break ties as they like, and
/// probabilities nearer to each other than their float32 error may stand in either order.
bool may_choose(std::span<const Bounded> probabilities, std::span<const std::int64_t> experts);

/// `recorded` [tokens, chosen] where the engine may have made it on these logits, else our own.
Rows<Bounded> followed_choice(const Rows<Bounded>& logits, std::span<const std::int64_t> recorded,
                              const MixtureOfExpertsWeights& weights, const EngineArithmetic& arithmetic);

}  // namespace plumbline
