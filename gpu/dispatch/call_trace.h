#pragma once

#include "gpu/dispatch/kernel.h"
#include "gpu/dispatch/route.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::dispatch {

/// What a kernel wrote of itself while it ran: which it is, and for which route of which plan it was
/// launched.
struct TagHit {
  std::uint64_t nonce = 0;
  Route route = Route::none;
  Kernel kernel = Kernel::none;
};

/// What a profiler saw of a launch; a foreign kernel is seen as well as ours.
struct KernelRecord {
  std::uint64_t nonce = 0;  ///< of the call it was launched in
  std::string symbol;       ///< demangled, without its parameter list
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  double start_us = 0, end_us = 0;  ///< on the device's clock
};

/// Everything the witnesses saw of one call. A witness that is not there is absent, not empty.
struct CallTrace {
  std::optional<std::vector<TagHit>> tags;
  std::optional<std::vector<KernelRecord>> records;
  std::int64_t records_lost = 0;
};

/// Watches calls one at a time: whatever is launched between begin() and end(), on any stream and also by a
/// replay of a graph that was captured there.
class CallTracer {
 public:
  virtual ~CallTracer() = default;
  virtual void begin(std::uint64_t nonce) = 0;
  /// Waits for the device.
  virtual CallTrace end() = 0;
  /// Who watches, and why another does not: "device tags and CUPTI 13.0", "device tags alone (CUPTI: …)".
  virtual std::string witnesses() const = 0;
};

}  // namespace plumbline::dispatch
