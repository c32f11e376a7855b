#pragma once

#include "fixtures/subject.h"
#include "gpu/subject/run_mode.h"
#include "gpu/trace/tracer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::gpu {

/// What a report says of the device its figures come from.
struct DeviceFacts {
  std::string name;
  std::string capability;  ///< "9.0"
  std::string versions;    ///< driver API, runtime and cuBLAS
};

/// The current device; nothing, and why, where there is none that the kernels were built for.
struct DeviceProbe {
  std::optional<DeviceFacts> device;
  std::string reason;
};
DeviceProbe probe_device();

/// One way through the selection, forced: "score.cublas_single+topk.lexicographic", "select.fused", …; a
/// route without a scorer ("topk.persistent") selects on the scores it is given.
struct CudaRoute {
  std::string name;
  std::string topk_contract;  ///< what it promises on the scores it selects on: "canonical", "set_exact"
  bool on_given_scores = false;
  bool one_request = false;       ///< takes one request a call
  bool several_requests = false;  ///< takes paged calls of several alone
  /// Its scores come from cuBLAS, which chooses a kernel by the call's shape.
  bool library_scores = false;
  std::string scores_of =
      {};  ///< of a route that writes none: whose scores those are, bit for bit; else empty
};
std::vector<CudaRoute> cuda_routes();

/// How a subject runs, and who watches. A tracer sees the kernels of all subjects that share it.
struct SubjectOptions {
  RunMode mode = RunMode::plain;
  std::shared_ptr<Tracer> tracer = {};  ///< may be null
};

/// The kernels of a route as a subject on the current device. Every call uploads its inputs, poisons every
/// output, and returns the scores it selected on where the route writes any. Throws UnsupportedCase for
/// inputs a kernel of the route has no code for, and RouteMissed where a product left elements of its output
/// unwritten. `route` is a name of cuda_routes().
std::unique_ptr<SelectSubject> cuda_subject(const std::string& route, SubjectOptions options = {});

}  // namespace plumbline::gpu
