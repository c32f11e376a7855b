#include "reference/select/contest.h"

#include <algorithm>
#include <functional>

namespace plumbline {
namespace {

std::uint64_t entry(std::uint32_t rank, std::int32_t slot) {
  return static_cast<std::uint64_t>(rank) << 32 | (0xFFFFFFFFu - static_cast<std::uint32_t>(slot));
}
std::uint32_t rank_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> 32); }
std::int32_t slot_of(std::uint64_t entry) {
  return static_cast<std::int32_t>(0xFFFFFFFFu - static_cast<std::uint32_t>(entry));
}

}  // namespace

ContestDecider::ContestDecider(const SelectableKeys& keys)
    : keys_(keys),
      key_(static_cast<std::size_t>(keys.dim())),
      index_of_twin_(static_cast<std::size_t>(keys.slots()), -1) {}

void ContestDecider::score_open_slots(const Contest& contest, const ExactQuery& query) {
  for (const std::int32_t twin : twins_) index_of_twin_[static_cast<std::size_t>(twin)] = -1;
  twins_.clear();
  distinct_.clear();
  for (const std::int32_t slot : contest.open) {
    const std::int32_t twin = keys_.twin(slot);
    std::int32_t& index = index_of_twin_[static_cast<std::size_t>(twin)];
    if (index >= 0) continue;
    index = static_cast<std::int32_t>(distinct_.size());
    twins_.push_back(twin);
    keys_.decode(slot, key_);
    distinct_.push_back({query.score(key_, keys_.window(slot)), index});
  }
  std::sort(distinct_.begin(), distinct_.end(),
            [](const Scored& a, const Scored& b) { return a.score < b.score; });
  rank_.resize(distinct_.size());
  score_of_rank_.assign(1, ExactScore{});
  for (const Scored& scored : distinct_) {
    if (!(scored.score == score_of_rank_.back())) score_of_rank_.push_back(scored.score);
    rank_[static_cast<std::size_t>(scored.index)] = static_cast<std::uint32_t>(score_of_rank_.size() - 1);
  }
}

CertifiedRow ContestDecider::decide(const RowInQuestion& row, const Contest& contest,
                                    const ExactQuery& query) {
  score_open_slots(contest, query);
  entries_.clear();
  for (const std::int32_t slot : contest.open) {
    const std::int32_t index = index_of_twin_[static_cast<std::size_t>(keys_.twin(slot))];
    entries_.push_back(entry(rank_[static_cast<std::size_t>(index)], slot));
  }
  for (const std::int32_t slot : contest.zeros) entries_.push_back(entry(0, slot));
  const std::int64_t unlisted_zeros = contest.zero_count - static_cast<std::int64_t>(contest.zeros.size());

  const auto seats = static_cast<std::ptrdiff_t>(row.k) - static_cast<std::ptrdiff_t>(contest.winners.size());
  const auto last_seat = entries_.begin() + (seats - 1);
  std::nth_element(entries_.begin(), last_seat, entries_.end(), std::greater<>());
  const std::uint32_t cutoff = rank_of(*last_seat);

  CertifiedRow result;
  result.blocks.reserve(static_cast<std::size_t>(row.k));
  result.visible = row.visible;
  result.selects = true;
  result.cutoff = score_of_rank_[cutoff];
  result.zero_plateau = cutoff == 0;
  result.resolved_exactly = static_cast<std::int64_t>(contest.open.size());
  const auto ties = [cutoff](std::uint64_t e) { return rank_of(e) == cutoff; };
  result.tie_class_selected = std::count_if(entries_.begin(), last_seat + 1, ties);
  result.tie_class_size = result.tie_class_selected + std::count_if(last_seat + 1, entries_.end(), ties) +
                          (cutoff == 0 ? unlisted_zeros : 0);
  result.tied_at_cutoff = result.tie_class_size > result.tie_class_selected;
  result.runner_up_is_minus_infinity = row.slots == row.k;
  if (last_seat + 1 != entries_.end()) {
    result.runner_up = score_of_rank_[rank_of(*std::max_element(last_seat + 1, entries_.end()))];
  }  // else the best left out is an unlisted zero or -infinity

  for (const std::int32_t slot : contest.winners) result.blocks.push_back(keys_.block(slot));
  const auto seated = static_cast<std::ptrdiff_t>(result.blocks.size());
  for (auto it = entries_.begin(); it <= last_seat; ++it) result.blocks.push_back(keys_.block(slot_of(*it)));
  std::sort(result.blocks.begin() + seated, result.blocks.end());
  std::inplace_merge(result.blocks.begin(), result.blocks.begin() + seated, result.blocks.end());
  return result;
}

}  // namespace plumbline
