#pragma once

#include "reference/numeric/exact_query.h"
#include "reference/select/certified_select.h"
#include "reference/select/selectable_keys.h"

#include <cstdint>
#include <vector>

namespace plumbline {

/// What is known of a row's slots before exact arithmetic. Every slot that is not listed, and no zero, scores
/// strictly below the runner-up.
struct Contest {
  std::vector<std::int32_t> winners;  ///< certainly above the k-th score; fewer than k, ascending
  std::vector<std::int32_t> open;     ///< undecided
  std::vector<std::int32_t> zeros;    ///< the lowest (at most k) of the slots whose score is certainly zero
  std::int64_t zero_count = 0;        ///< how many such slots there are
};

/// One row to decide.
struct RowInQuestion {
  std::int64_t visible = 0;  ///< blocks, > k
  std::int64_t slots = 0;    ///< selectable slots among them, >= k
  std::int32_t k = 0;
};

/// Decides a row from its contest with exact scores. Scratch memory is kept between rows.
class ContestDecider {
 public:
  explicit ContestDecider(const SelectableKeys& keys);
  CertifiedRow decide(const RowInQuestion& row, const Contest& contest, const ExactQuery& query);

 private:
  struct Scored {
    ExactScore score;
    std::int32_t index;  // into distinct_
  };
  void score_open_slots(const Contest& contest, const ExactQuery& query);

  const SelectableKeys& keys_;
  std::vector<float> key_;
  std::vector<std::int32_t> index_of_twin_;  // into distinct_; -1 where not scored on this row
  std::vector<std::int32_t> twins_;          // scored on this row
  std::vector<Scored> distinct_;             // ascending by score once ranked
  std::vector<std::uint32_t> rank_;  // by index into distinct_; equal scores share a rank, zero has rank 0
  std::vector<ExactScore> score_of_rank_;
  std::vector<std::uint64_t> entries_;  // rank, then the lower slot: larger = better, unique
};

}  // namespace plumbline
