#pragma once

#include "reference/select/contest.h"

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

  /// Sorts what is left into winners and open slots.
  void finish(Contest& contest);

 private:
  struct Candidate {
    float upper, lower;
    std::int32_t slot;
  };
  void examine(std::int32_t slot, float upper);
  void raise_floor();

  RowInQuestion row_;
  float width_ = 0;
  const float* norms_ = nullptr;
  /// A lower bound of the runner-up's score (of the k-th where only k slots exist): positive once that many
  /// slots are known to lie above zero, else the smallest positive float, so that "below" means exactly zero.
  float floor_ = 0;
  bool zeros_matter_ = true;
  std::size_t next_raise_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<float> bounds_;  // scratch
  std::vector<std::int32_t> zeros_;
  std::int64_t zero_count_ = 0;
};

}  // namespace plumbline
