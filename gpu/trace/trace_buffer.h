#pragma once

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

/// A TraceLog with its records.
class TraceBuffer {
 public:
  explicit TraceBuffer(std::uint32_t capacity = 4096);

  TraceLog* log() const { return log_.data(); }

  /// Forgets all tags; waits for the device before and after.
  void clear();

  struct Contents {
    std::vector<TraceRecord> records;  ///< in no order
    std::int64_t lost = 0;
  };
  /// Waits for the device.
  Contents read() const;

 private:
  DeviceBuffer<TraceRecord> records_;
  DeviceBuffer<TraceLog> log_;
};

}  // namespace plumbline::gpu
