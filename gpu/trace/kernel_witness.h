#pragma once

#include "gpu/dispatch/call_trace.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plumbline::gpu {

/// A profiler that sees every launch of the process, cuBLAS' and foreign ones included. At most one lives.
class KernelWitness {
 public:
  virtual ~KernelWitness() = default;
  virtual std::string name() const = 0;  ///< "CUPTI 13.0"
  /// Launches of this thread, also by replaying a graph, count as the call's from here on.
  virtual void begin(std::uint64_t nonce) = 0;

  struct Contents {
    std::vector<dispatch::KernelRecord> records;  ///< of any thread; nonce 0 where no call was open
    std::int64_t lost = 0;
  };
  /// Everything launched since begin(). The device has come to rest.
  virtual Contents end() = 0;
};

/// Null with the reason where the build has no profiler or the machine grants no right to it.
struct KernelWitnessProbe {
  std::unique_ptr<KernelWitness> witness;
  std::string reason;
};
KernelWitnessProbe open_kernel_witness();

/// A mangled symbol as a person reads it, without its parameter list.
std::string readable_symbol(const char* symbol);

}  // namespace plumbline::gpu
