#pragma once

#include "oracle/summation/split_case.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

/// The faults that are planted in a partial: dropped, doubled, and scaled by 0.5, 2, -1 and 0.75.
std::span<const SplitFault> planted_faults();
/// "dropped", "scaled by 0.5".
std::string describe(const SplitFault& fault);

/// The same in one of the case's splits that have terms.
SplitFault placed(SplitFault fault, const SplitCase& one, Random& random);

/// A fault that an implementation has always, and the cases it takes until a result is beyond its bound.
struct FaultHunt {
  Reduction reduction = Reduction::score;
  SplitFault fault;
  std::int64_t hunts = 0;       ///< each from a seed of its own
  std::int64_t missed = 0;      ///< hunts that found nothing in kMost cases
  std::int64_t most_cases = 0;  ///< of the longest hunt that found it
  std::int64_t first_case = 0;  ///< hunts that found it in their first case
  static constexpr std::int64_t kMost = 100;
};

/// Cases as run_split_trials draws them, each with the fault in one of its filled splits, whether it weighs
/// or not. The same for any thread count.
FaultHunt hunt_fault(Reduction reduction, const SplitFault& fault, std::int64_t hunts, std::uint64_t seed);

/// A line per fault, under a heading.
std::string hunts_table(const std::vector<FaultHunt>& hunts);

}  // namespace plumbline
