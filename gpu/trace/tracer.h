#pragma once

#include "gpu/dispatch/call_trace.h"
#include "gpu/trace/trace_tag.h"

#include <cstdint>
#include <memory>
#include <string>

namespace plumbline::gpu {

class KernelWitness;
class TraceBuffer;

/// Both witnesses of this machine's current device: the kernels' own tags, and a profiler's records where one
/// may be used.
class Tracer final : public dispatch::CallTracer {
 public:
  Tracer();
  ~Tracer() override;

  void begin(std::uint64_t nonce) override;
  dispatch::CallTrace end() override;
  std::string witnesses() const override;

  /// Forgets what was launched since begin(): it was preparation. Waits for the device.
  void restart();
  /// What the launches of the open call carry.
  Trace trace() const;

 private:
  std::unique_ptr<TraceBuffer> tags_;
  std::unique_ptr<KernelWitness> kernels_;
  std::string no_kernels_;  ///< why there is no such witness
  std::uint64_t nonce_ = 0;
};

}  // namespace plumbline::gpu
