#pragma once

#include "gpu/dispatch/kernel.h"
#include "gpu/dispatch/route.h"

#include <cstdint>

namespace plumbline::gpu {

/// What the launches of one kernel for one route left behind: how many, and the sum of their plans' nonces
/// (modulo 2^64), which shows one that ran for another plan.
struct TraceCell {
  unsigned long long nonces;
  unsigned long long hits;
};

/// In device memory. A kernel adds to its own cell and waits for nothing; any streams and graph replays may
/// do so side by side, and there is nothing that could fill up.
struct TraceLog {
  static constexpr int kRoutes = 128, kKernels = 32;  ///< above the largest of their numbers
  TraceCell cells[kRoutes][kKernels];
};

/// The last parameter of every kernel of ours: for which route of which plan it was launched, and where to
/// write that down. A null log: nowhere.
struct TraceTag {
  TraceLog* log = nullptr;
  std::uint64_t nonce = 0;  ///< of the plan
  dispatch::Route route = dispatch::Route::none;
};

/// The same of a call that takes several routes. By default nothing is written.
struct Trace {
  TraceLog* log = nullptr;
  std::uint64_t nonce = 0;
  TraceTag of(dispatch::Route route) const { return {log, nonce, route}; }
};

}  // namespace plumbline::gpu
