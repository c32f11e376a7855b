#pragma once

#include "fixtures/dtype.h"
#include "reference/summation/rank_reduction.h"

#include <cstdint>
#include <string>

namespace plumbline {

/// One projection over several ranks, in one order.
struct RankOutcome {
  std::string projection;
  std::int64_t ranks = 1;
  RankOrder order = RankOrder::ring;
  DType partial = DType::float32;  ///< what the ranks exchange
  std::int64_t tokens = 0, elements = 0;
  std::int64_t beyond = 0;  ///< further from the exact value, or from the unsplit result, than bounds allow
  double share = 0;         ///< the largest deviation from the exact value, of its bound
  std::int64_t ranks_differ = 0;       ///< elements whose bits are not the same on all ranks
  std::string selects;                 ///< what the output decides next
  std::int64_t selections_differ = 0;  ///< tokens that select otherwise on another rank
  std::int64_t selections_parted = 0;  ///< tokens that select otherwise than without ranks

  /// A ring or a tree hands the same sum to all ranks, so their bits and selections must agree.
  bool sound() const;
};

}  // namespace plumbline
