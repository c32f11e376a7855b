#include "reference/select/shortlist.h"

#include <algorithm>
#include <limits>

namespace plumbline {
namespace {

constexpr std::int64_t kGroup = 16;  // upper bounds compared at a time

std::int64_t reaching(const float* uppers, float floor) {
  std::int32_t count = 0;
  for (std::int64_t i = 0; i < kGroup; ++i) count += uppers[i] >= floor ? 1 : 0;
  return count;
}

}  // namespace

void Shortlist::reset(const RowInQuestion& row, float width, const float* norms) {
  row_ = row;
  width_ = width;
  norms_ = norms;
  floor_ = std::numeric_limits<float>::denorm_min();
  zeros_matter_ = true;
  next_raise_ = 2 * static_cast<std::size_t>(row.k) + 64;
  candidates_ = 0;
  zeros_.clear();
  zero_count_ = 0;
}

void Shortlist::offer(std::int64_t first, std::int64_t count, const float* uppers) {
  const std::int64_t end = std::min(count, row_.slots - first);
  for (std::int64_t group = 0; group < end; group += kGroup) {
    const std::int64_t size = std::min(kGroup, end - group);
    const std::int64_t reach = size == kGroup ? reaching(uppers + group, floor_) : -1;
    if (zeros_matter_ && reach != kGroup) note_zeros(first + group, size, uppers + group);
    if (reach != 0) keep_reaching(first + group, size, uppers + group);
    if (candidates_ >= next_raise_) raise_floor();
  }
}

void Shortlist::keep_reaching(std::int64_t first, std::int64_t count, const float* uppers) {
  if (upper_.size() < candidates_ + kGroup) {
    upper_.resize(2 * candidates_ + kGroup);
    slot_.resize(upper_.size());
  }
  for (std::int64_t i = 0; i < count; ++i) {
    upper_[candidates_] = uppers[i];
    slot_[candidates_] = static_cast<std::int32_t>(first + i);
    candidates_ += uppers[i] >= floor_ ? 1 : 0;
  }
}

void Shortlist::note_zeros(std::int64_t first, std::int64_t count, const float* uppers) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (uppers[i] >= floor_) continue;
    ++zero_count_;
    if (static_cast<std::int64_t>(zeros_.size()) < row_.k)
      zeros_.push_back(static_cast<std::int32_t>(first + i));
  }
}

void Shortlist::raise_floor() {
  const std::int64_t rank = std::min<std::int64_t>(row_.k + std::int64_t{1}, row_.slots);
  if (static_cast<std::int64_t>(candidates_) >= rank) {
    lowers_.resize(candidates_);
    for (std::size_t i = 0; i < candidates_; ++i) lowers_[i] = lower(i);
    const float bound = nth_largest_(lowers_, rank);
    if (bound > 0) {
      zeros_matter_ = false;
      floor_ = std::max(floor_, bound);
      drop_below_floor();
    }
  }
  next_raise_ = 2 * candidates_ + 64;
}

void Shortlist::drop_below_floor() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates_; ++i) {
    upper_[kept] = upper_[i];
    slot_[kept] = slot_[i];
    kept += upper_[i] >= floor_ ? 1 : 0;
  }
  candidates_ = kept;
}

void Shortlist::finish(Contest& contest) {
  raise_floor();
  // The k-th largest upper bound, above which no k-th score can lie; every slot that is no candidate is below
  // it.
  float ceiling = 0;
  if (static_cast<std::int64_t>(candidates_) >= row_.k)
    ceiling = nth_largest_(std::span(upper_).first(candidates_), row_.k);
  contest.winners.clear();
  contest.open.clear();
  contest.zeros.clear();
  contest.zero_count = 0;
  for (std::size_t i = 0; i < candidates_; ++i)
    (lower(i) > ceiling ? contest.winners : contest.open).push_back(slot_[i]);
  if (zeros_matter_) {
    contest.zeros = zeros_;
    contest.zero_count = zero_count_;
  }
}

}  // namespace plumbline
