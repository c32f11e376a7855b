#pragma once

#include "gpu/dispatch/call_trace.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/trace/trace_tag.h"

#include <cstdint>
#include <vector>

namespace plumbline::gpu {

/// Whether kernels of this build write tags.
#ifdef PLUMBLINE_TRACE
inline constexpr bool kTagsCompiled = true;
#else
inline constexpr bool kTagsCompiled = false;
#endif

/// A TraceLog on the current device.
class TraceBuffer {
 public:
  TraceBuffer();

  TraceLog* log() const { return log_.data(); }

  /// Forgets all tags; waits for the device before and after.
  void clear();

  /// The tags of launches that should all be of plan `nonce`; waits for the device. Where a cell's nonces do
  /// not add up to that, one of its tags bears what is left over: the nonce of a single stray.
  std::vector<dispatch::TagHit> read(std::uint64_t nonce) const;

 private:
  DeviceBuffer<TraceLog> log_;
};

/// The tags a cell stands for.
std::vector<dispatch::TagHit> tags_of(const TraceCell& cell, dispatch::Route route, dispatch::Kernel kernel,
                                      std::uint64_t nonce);

}  // namespace plumbline::gpu
