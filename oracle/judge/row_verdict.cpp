#include "oracle/judge/row_verdict.h"

#include "reference/numeric/key_bits.h"
#include "reference/select/select_by_key.h"
#include "reference/select/select_views.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

namespace plumbline {
namespace {

/// S \ C and C \ S, both ascending and of equal size.
struct Swap {
  std::vector<std::int32_t> claimed, missed;
};

Swap swap_between(std::span<const std::int32_t> claimed, std::span<const std::int32_t> canonical) {
  Swap swap;
  std::set_difference(claimed.begin(), claimed.end(), canonical.begin(), canonical.end(),
                      std::back_inserter(swap.claimed));
  std::set_difference(canonical.begin(), canonical.end(), claimed.begin(), claimed.end(),
                      std::back_inserter(swap.missed));
  return swap;
}

/// A block of a swap with its rank: -infinity (behind an unmapped page) or an exact score.
struct Placed {
  std::int32_t block = 0;
  bool finite = false;
  ExactScore score;

  std::strong_ordering operator<=>(const Placed& other) const {
    if (finite != other.finite) return finite <=> other.finite;
    if (const auto order = score <=> other.score; order != 0) return order;
    return block <=> other.block;
  }
  bool ties_with(const Placed& other) const { return finite == other.finite && score == other.score; }
};

std::vector<Placed> placed_ascending(std::span<const std::int32_t> blocks, const ExactRow& exact) {
  std::vector<Placed> placed;
  placed.reserve(blocks.size());
  for (const std::int32_t block : blocks) {
    const bool finite = exact.selector->valid(block);
    placed.push_back({block, finite, finite ? exact.score(block) : ExactScore{}});
  }
  std::sort(placed.begin(), placed.end());
  return placed;
}

/// The bound as a multiple of the exact unit, rounded up; nothing where it exceeds what a score can hold.
std::optional<ExactScore> exact_bound(double bound) {
  if (!(bound < 0x1p276)) return std::nullopt;
  return ExactScore::from_double(std::ldexp(std::ceil(std::ldexp(bound, 298)), -298));
}

}  // namespace

RowVerdict verdict_of_structure(const ClaimedRow& claimed) {
  if (!claimed.sound()) return {Verdict::structural, claimed.bad_entry, -1, claimed.fault};
  return {claimed.ascending ? Verdict::canonical : Verdict::order_only, -1, -1, {}};
}

RowVerdict verdict_by_key(const ClaimedRow& claimed, std::span<const float> scores, std::int64_t visible,
                          std::int32_t k) {
  if (!claimed.sound()) return verdict_of_structure(claimed);
  const Swap swap = swap_between(claimed.blocks, select_by_key(scores, visible, k));
  if (swap.claimed.empty()) return verdict_of_structure(claimed);

  const auto key = [&](std::int32_t block) { return score_key(scores[static_cast<std::size_t>(block)]); };
  const auto worse = [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); };
  std::vector<std::int32_t> claimed_by_key = swap.claimed, missed_by_key = swap.missed;
  std::stable_sort(claimed_by_key.begin(), claimed_by_key.end(), worse);
  std::stable_sort(missed_by_key.begin(), missed_by_key.end(), worse);
  const bool tied =
      std::equal(claimed_by_key.begin(), claimed_by_key.end(), missed_by_key.begin(), missed_by_key.end(),
                 [&](std::int32_t a, std::int32_t b) { return key(a) == key(b); });
  if (tied) return {Verdict::tie_only, claimed_by_key.front(), missed_by_key.front(), {}};
  return {Verdict::value_error, claimed_by_key.front(), missed_by_key.back(), {}};
}

double ExactRow::error_bound(std::int64_t block) const {
  return error_model->bound(query_of(*inputs, row), key_of(*inputs, block), selector->magnitude(row, block));
}

RowVerdict verdict_by_exact_score(const ClaimedRow& claimed, const CertifiedRow& canonical,
                                  const ExactRow& exact) {
  if (!claimed.sound()) return verdict_of_structure(claimed);
  const Swap swap = swap_between(claimed.blocks, canonical.blocks);
  if (swap.claimed.empty()) return verdict_of_structure(claimed);

  const std::vector<Placed> taken = placed_ascending(swap.claimed, exact);
  const std::vector<Placed> missed = placed_ascending(swap.missed, exact);
  if (std::equal(taken.begin(), taken.end(), missed.begin(), missed.end(),
                 [](const Placed& a, const Placed& b) { return a.ties_with(b); })) {
    return {Verdict::tie_only, taken.front().block, missed.front().block, {}};
  }
  // A canonical -infinity means that every finite block is canonical, so unequal multisets with a -infinity
  // among them always swap it for a finite score.
  if (!taken.front().finite) return {Verdict::value_error, taken.front().block, missed.back().block, {}};

  // No claimed block outranks a missed one, so every pair's gap s_j - s_i stays within E_i + E_j exactly when
  // the largest s_j - E_j does not exceed the smallest s_i + E_i.
  const Placed *lowest = nullptr, *highest = nullptr;
  ExactScore lowest_top, highest_bottom;
  for (const Placed& block : taken) {
    const auto bound = exact_bound(exact.error_bound(block.block));
    if (!bound) continue;
    ExactScore top = block.score;
    top += *bound;
    if (lowest == nullptr || top < lowest_top) lowest = &block, lowest_top = top;
  }
  for (const Placed& block : missed) {
    const auto bound = exact_bound(exact.error_bound(block.block));
    if (!bound) continue;
    const ExactScore bottom = block.score - *bound;
    if (highest == nullptr || bottom > highest_bottom) highest = &block, highest_bottom = bottom;
  }
  const bool bounded = lowest != nullptr && highest != nullptr;
  if (!bounded) return {Verdict::rounding, taken.front().block, missed.back().block, {}};
  return {highest_bottom > lowest_top ? Verdict::value_error : Verdict::rounding,
          lowest->block,
          highest->block,
          {}};
}

}  // namespace plumbline
