#pragma once

#include "oracle/summation/split_case.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace plumbline {

/// How one case's bits lie to its exact value, over its outputs.
struct SplitOutcome {
  std::int64_t elements = 0;
  std::int64_t beyond = 0;         ///< further off than the plan's bound, or without a finite one
  std::int64_t beyond_likely = 0;  ///< further off than the probabilistic companion
  double share = 0;                ///< the largest deviation, of the bound
  double likely_share = 0;         ///< and of the companion
  std::int64_t ulp = 0;            ///< the largest distance from the float32 nearest to the exact value
};
SplitOutcome judge_split(const SplitCase& one);

/// Whether plans that must give the same bits do: an order written another way, one split and no splits,
/// empty splits somewhere else, all terms in one of several splits. Returns what differed, or nothing.
std::string compare_equal_plans(const SplitCase& one);

/// The fault in a partial moves the exact result by more than 4 times the bound of the sound and of the
/// faulty evaluation: whatever both round, the faulty result is beyond the sound plan's bound.
bool weighs_enough(const SplitCase& one, const SplitFault& fault);
/// Whether the faulty result is beyond the bound.
bool is_caught(const SplitCase& one, const SplitFault& fault);

/// One data family's outcomes.
struct SplitTally {
  SplitData data = SplitData::constant;
  std::int64_t cases = 0;
  std::int64_t elements = 0, beyond = 0, beyond_likely = 0;
  double share = 0, likely_share = 0;
  std::int64_t ulp = 0;
  void add(const SplitOutcome& outcome);
  void add(const SplitTally& other);
};

/// What the trials of one reduction showed.
struct SplitTrials {
  Reduction reduction = Reduction::score;
  std::vector<SplitTally> by_data;
  std::int64_t cases = 0;
  std::int64_t equal_compared = 0;
  std::int64_t faults_planted = 0, faults_caught = 0;
  std::vector<std::string> failures;  ///< one line each, the first kMost
  static constexpr std::size_t kMost = 8;

  bool sound() const { return failures.empty(); }
};

struct SplitTrialOptions {
  std::int64_t cases = 1000;  ///< of each reduction
  std::uint64_t seed = 0;
  std::int64_t fault_every = 8;  ///< cases from one with a planted fault to the next; 0: none
  std::int64_t equal_every = 4;  ///< the same of the comparisons of plans
};

/// The cases seed, seed + 1, … of one reduction, its data families in turn. The same for any thread count.
SplitTrials run_split_trials(Reduction reduction, const SplitTrialOptions& options);

}  // namespace plumbline
