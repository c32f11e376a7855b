#pragma once

#include "gpu/subject/run_mode.h"
#include "gpu/trace/tracer.h"

#include <functional>
#include <memory>

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// One question on the device: its inputs, its poisoned outputs, and the kernels of a route between them.
class DeviceCall {
 public:
  virtual ~DeviceCall() = default;
  /// Queues the kernels; waits for nothing once a first launch has let buffers grow.
  virtual void launch(const Trace& trace, cudaStream_t stream) = 0;
  virtual void poison_outputs() = 0;
  /// Lets every row see about half of its blocks, or again what was asked; the device's memory stays in
  /// place.
  virtual void shorten(bool shortened) = 0;
};

/// Makes the question once more, for the first or the second of two streams.
using MakeCall = std::function<std::unique_ptr<DeviceCall>(int which)>;

/// Runs a question in a mode and returns the call whose outputs are the answer; the device has come to rest.
/// What only prepares is left out of the trace; `tracer` may be null.
std::unique_ptr<DeviceCall> run_call(RunMode mode, const MakeCall& make, Tracer* tracer);

}  // namespace plumbline::gpu
