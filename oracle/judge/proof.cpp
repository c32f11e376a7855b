#include "oracle/judge/proof.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace plumbline {
namespace {

ProofResult refuted(std::string fault) { return {false, std::move(fault)}; }

std::optional<std::string> fault_of_form(std::span<const std::int32_t> claimed, std::int64_t visible,
                                         std::int32_t k) {
  const std::int64_t expected = std::min<std::int64_t>(k, visible);
  if (static_cast<std::int64_t>(claimed.size()) != expected) {
    return fmt::format("{} blocks claimed, {} are due", claimed.size(), expected);
  }
  for (std::size_t slot = 0; slot < claimed.size(); ++slot) {
    const std::int32_t block = claimed[slot];
    if (block < 0 || block >= visible) {
      return fmt::format("slot {} holds {}, outside [0, {})", slot, block, visible);
    }
    if (slot > 0 && block == claimed[slot - 1]) return fmt::format("block {} is claimed twice", block);
    if (slot > 0 && block < claimed[slot - 1]) {
      return fmt::format("slot {} holds block {} after block {}: not ascending", slot, block,
                         claimed[slot - 1]);
    }
  }
  return std::nullopt;
}

}  // namespace

ProofResult prove_canonical(std::span<const std::int32_t> claimed, std::int64_t visible, std::int32_t k,
                            const std::function<int(std::int64_t a, std::int64_t b)>& compare) {
  visible = std::max<std::int64_t>(visible, 0);
  if (const auto fault = fault_of_form(claimed, visible, k)) return refuted(*fault);
  if (claimed.empty() || static_cast<std::int64_t>(claimed.size()) == visible) return {true, {}};

  std::int64_t worst = claimed.front();
  for (const std::int32_t block : claimed.subspan(1)) {
    if (compare(block, worst) < 0) worst = block;
  }
  std::int64_t last_equal = worst;  // the highest claimed number among those that tie with the worst
  for (const std::int32_t block : claimed) {
    if (block > last_equal && compare(block, worst) == 0) last_equal = block;
  }

  auto next_claimed = claimed.begin();
  for (std::int64_t block = 0; block < visible; ++block) {
    if (next_claimed != claimed.end() && *next_claimed == block) {
      ++next_claimed;
      continue;
    }
    const int order = compare(block, worst);
    if (order > 0) return refuted(fmt::format("block {} was left out and beats block {}", block, worst));
    if (order == 0 && block < last_equal) {
      return refuted(
          fmt::format("block {} was left out and ties with the higher block {}", block, last_equal));
    }
  }
  return {true, {}};
}

}  // namespace plumbline
