#include "reference/select/shortlist.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace plumbline {
namespace {

constexpr std::int64_t kGroup = 16;  // upper bounds compared at a time

bool any_reaches(const float* uppers, float floor) {
  int any = 0;
  for (std::int64_t i = 0; i < kGroup; ++i) any |= uppers[i] >= floor ? 1 : 0;
  return any != 0;
}

/// The rank-th largest of `values`, which are reordered.
float nth_largest(std::vector<float>& values, std::int64_t rank) {
  const auto nth = values.begin() + (rank - 1);
  std::nth_element(values.begin(), nth, values.end(), std::greater<>());
  return *nth;
}

}  // namespace

void Shortlist::reset(const RowInQuestion& row, float width, const float* norms) {
  row_ = row;
  width_ = width;
  norms_ = norms;
  floor_ = std::numeric_limits<float>::denorm_min();
  zeros_matter_ = true;
  next_raise_ = 2 * static_cast<std::size_t>(row.k) + 64;
  candidates_.clear();
  zeros_.clear();
  zero_count_ = 0;
}

void Shortlist::offer(std::int64_t first, std::int64_t count, const float* uppers) {
  const std::int64_t end = std::min(count, row_.slots - first);
  for (std::int64_t group = 0; group < end; group += kGroup) {
    const std::int64_t group_end = std::min(group + kGroup, end);
    if (!zeros_matter_ && group_end - group == kGroup && !any_reaches(uppers + group, floor_)) continue;
    for (std::int64_t i = group; i < group_end; ++i) examine(static_cast<std::int32_t>(first + i), uppers[i]);
  }
}

void Shortlist::examine(std::int32_t slot, float upper) {
  if (upper >= floor_) {
    candidates_.push_back({upper, upper - width_ * norms_[slot], slot});
    if (candidates_.size() >= next_raise_) raise_floor();
  } else if (zeros_matter_) {
    ++zero_count_;
    if (static_cast<std::int64_t>(zeros_.size()) < row_.k) zeros_.push_back(slot);
  }
}

void Shortlist::raise_floor() {
  const std::int64_t rank = std::min<std::int64_t>(row_.k + std::int64_t{1}, row_.slots);
  if (static_cast<std::int64_t>(candidates_.size()) >= rank) {
    bounds_.clear();
    for (const Candidate& candidate : candidates_) bounds_.push_back(candidate.lower);
    const float bound = nth_largest(bounds_, rank);
    if (bound > 0) {
      zeros_matter_ = false;
      floor_ = std::max(floor_, bound);
      std::erase_if(candidates_, [this](const Candidate& candidate) { return candidate.upper < floor_; });
    }
  }
  next_raise_ = 2 * candidates_.size() + 64;
}

void Shortlist::finish(Contest& contest) {
  raise_floor();
  // The k-th largest upper bound, above which no k-th score can lie; every slot that is no candidate is below
  // it.
  float ceiling = 0;
  if (static_cast<std::int64_t>(candidates_.size()) >= row_.k) {
    bounds_.clear();
    for (const Candidate& candidate : candidates_) bounds_.push_back(candidate.upper);
    ceiling = nth_largest(bounds_, row_.k);
  }
  contest = {};
  for (const Candidate& candidate : candidates_) {
    (candidate.lower > ceiling ? contest.winners : contest.open).push_back(candidate.slot);
  }
  if (zeros_matter_) {
    contest.zeros = zeros_;
    contest.zero_count = zero_count_;
  }
}

}  // namespace plumbline
