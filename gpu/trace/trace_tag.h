#pragma once

#include "gpu/dispatch/kernel.h"
#include "gpu/dispatch/route.h"

#include <cstdint>

namespace plumbline::gpu {

/// What a kernel writes of itself: 16 bytes.
struct TraceRecord {
  std::uint64_t nonce;
  dispatch::Route route;
  dispatch::Kernel kernel;
};

/// In device memory. Kernels take slots by atomic addition, so any streams and graph replays may write side
/// by side; `taken` counts on behind the capacity, so that what found no room is known.
struct TraceLog {
  std::uint32_t taken;
  std::uint32_t capacity;
  TraceRecord* records;
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
