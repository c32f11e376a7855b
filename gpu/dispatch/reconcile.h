#pragma once

#include "gpu/dispatch/call_trace.h"
#include "gpu/dispatch/planned_call.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::dispatch {

/// Launches of one symbol.
struct SymbolHit {
  std::string symbol;
  std::int64_t launches = 0;
  std::array<std::int64_t, 3> grid = {1, 1, 1};  ///< of the first
  double microseconds = 0;                       ///< of all, on the device
};

/// Proof that a route ran: what each witness saw of it.
struct RouteHit {
  Route route = Route::none;
  std::int64_t tags = 0;           ///< written by its kernels
  std::int64_t records = 0;        ///< of launches by a profiler
  std::vector<SymbolHit> symbols;  ///< of those records, by name
};

struct Reconciliation {
  std::vector<RouteHit> hits;       ///< the plan's routes, those that some witness saw
  std::vector<std::string> misses;  ///< one line each; empty: plan and witnesses agree
};

/// Whether the witnesses of a call saw what was planned and nothing else. Misses are: a planned launch that a
/// witness did not see, or saw too often; a tag or a record of a launch that is not planned; a symbol of no
/// known family; another plan's nonce; tags and records that count a kernel differently; records lost; no
/// witness at all.
Reconciliation reconcile(const PlannedCall& planned, const CallTrace& seen);

}  // namespace plumbline::dispatch
