#pragma once

#include "reference/select/contest.h"
#include "reference/select/nth_largest.h"

#include <cstdint>
#include <vector>

namespace plumbline {

/// What one row keeps of the filter's bounds while slots stream by in ascending order: every slot that may
/// still reach the runner-up's score, and the certain zeros as long as the runner-up may be zero.
class Shortlist {
 public:
  /// `norms` by slot; a slot's lower bound is its upper bound minus fl(width·norm).
  void reset(const RowInQuestion& row, float width, const float* norms);

  /// Upper bounds of slots [first, first + count); only those below the row's slot count are looked at.
  void offer(std::int64_t first, std::int64_t count, const float* uppers);

  /// Sorts what is left into winners and open slots, both ascending.
  void finish(Contest& contest);

 private:
  void keep_reaching(std::int64_t first, std::int64_t count, const float* uppers);
  void note_zeros(std::int64_t first, std::int64_t count, const float* uppers);
  void raise_floor();
  void drop_below_floor();
  float lower(std::size_t candidate) const { return upper_[candidate] - width_ * norms_[slot_[candidate]]; }

  RowInQuestion row_;
  float width_ = 0;
  const float* norms_ = nullptr;
  /// A lower bound of the runner-up's score (of the k-th where only k slots exist): positive once that many
  /// slots are known to lie above zero, else the smallest positive float, so that "below" means exactly zero.
  float floor_ = 0;
  bool zeros_matter_ = true;
  std::size_t next_raise_ = 0;
  std::size_t candidates_ = 0;
  std::vector<float> upper_;        // by candidate, ascending by slot; longer than there are candidates
  std::vector<std::int32_t> slot_;  // likewise
  std::vector<float> lowers_;       // scratch
  NthLargest nth_largest_;
  std::vector<std::int32_t> zeros_;
  std::int64_t zero_count_ = 0;
};

}  // namespace plumbline
