#include "oracle/replay/router_choice.h"

#include "reference/model/softmax.h"

#include <algorithm>

namespace plumbline {

bool may_choose(std::span<const Bounded> probabilities, std::span<const std::int64_t> experts) {
  std::vector<bool> ahead(probabilities.size(), false);
  for (const std::int64_t expert : experts) {
    if (expert < 0 || expert >= std::ssize(probabilities) || ahead[static_cast<std::size_t>(expert)])
      return false;
    ahead[static_cast<std::size_t>(expert)] = true;
    const Bounded& named = probabilities[static_cast<std::size_t>(expert)];
    for (std::size_t other = 0; other < probabilities.size(); ++other) {
      const Bounded& later = probabilities[other];
      if (!ahead[other] && later.value - later.error > named.value + named.error) return false;
    }
  }
  return true;
}

Rows<Bounded> followed_choice(const Rows<Bounded>& logits, std::span<const std::int64_t> recorded,
                              const MixtureOfExpertsWeights& weights, const EngineArithmetic& arithmetic) {
  const std::vector<std::int64_t> own = route<Bounded>(logits, weights, arithmetic).experts;
  Rows<Bounded> choice(logits.rows, weights.chosen);
  for (std::int64_t t = 0; t < logits.rows; ++t) {
    std::vector<Bounded> probabilities(logits.row(t).begin(), logits.row(t).end());
    softmax<Bounded>(probabilities, arithmetic);
    const auto of_token = [&](std::span<const std::int64_t> all) {
      return all.subspan(static_cast<std::size_t>(t * weights.chosen),
                         static_cast<std::size_t>(weights.chosen));
    };
    const auto experts = of_token(may_choose(probabilities, of_token(recorded)) ? recorded : own);
    std::ranges::transform(experts, choice.row(t).begin(), [](std::int64_t expert) {
      return Bounded{static_cast<double>(expert), 0};
    });
  }
  return choice;
}

}  // namespace plumbline
