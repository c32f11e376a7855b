#pragma once

namespace plumbline::gpu {

/// What a launch needs to know of a device.
struct DeviceLimits {
  int device = 0;
  int capability = 0;  ///< major · 10 + minor
  int multiprocessors = 0;
  int shared_bytes_per_block = 0;  ///< with opt-in
  int l2_bytes = 0;
};

/// Limits of the current device.
DeviceLimits current_device_limits();

/// Lets `kernel` use `bytes` of dynamic shared memory; throws Unsupported when the device has less.
void allow_shared_memory(const void* kernel, int bytes, const char* name);

}  // namespace plumbline::gpu
