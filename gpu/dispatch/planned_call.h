#pragma once

#include "gpu/dispatch/kernel.h"
#include "gpu/dispatch/plan.h"

#include <cstdint>
#include <vector>

namespace plumbline::dispatch {

/// A family of kernels that a plan's route launches.
struct PlannedLaunch {
  static constexpr std::int64_t kAny = -1;
  Route route = Route::none;  ///< an operation, not one of its variants
  Kernel kernel = Kernel::none;
  std::int64_t least = 1;
  std::int64_t most = 1;  ///< kAny where a call is cut into chunks or tiles
};

/// What the witnesses of a call have to show.
struct PlannedCall {
  std::uint64_t nonce = 0;
  std::vector<PlannedLaunch> launches;
};

/// The part of a selection that is called.
enum class CalledStages : std::uint8_t {
  all,   ///< from the page table to the tokens
  topk,  ///< on given scores
};

/// The launches of our kernels that carry out `plan`, made for `batch`, `times` over. Score columns are the
/// complete blocks of the longest request; without any there is nothing to score. Throws
/// std::invalid_argument for a plan whose selection is not supported.
PlannedCall planned_call(const Plan& plan, const Batch& batch, CalledStages stages = CalledStages::all,
                         std::int64_t times = 1);

}  // namespace plumbline::dispatch
