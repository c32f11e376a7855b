#pragma once

#include "fixtures/subject.h"
#include "gpu/dispatch/call_trace.h"
#include "gpu/dispatch/planned_call.h"
#include "oracle/report/run_report.h"

#include <memory>
#include <string>
#include <vector>

namespace plumbline {

/// Who watches a device's calls, and what a watched call is planned as.
struct Watch {
  std::shared_ptr<dispatch::CallTracer> tracer;
  dispatch::Capability capability;
  std::string route;  ///< "score.paged+topk.lexicographic", forced
  dispatch::CalledStages stages = dispatch::CalledStages::all;
  std::int64_t times = 1;  ///< that the subject runs its kernels a call
};

/// Plans every call of a subject, has it watched, and reconciles the plan with what the witnesses saw. The
/// subject itself is asked once a call.
class WitnessedSubject final : public SelectSubject {
 public:
  WitnessedSubject(std::shared_ptr<SelectSubject> subject, Watch watch);
  std::string name() const override { return subject_->name(); }
  SelectOutputs select(const SelectInputs& inputs) override;
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override;

  const RouteEvidence& evidence() const { return evidence_; }
  /// Symbols of the library's products in the last call, by name; empty where no profiler watched.
  const std::vector<std::string>& last_products() const { return last_products_; }
  /// Launches of the last call that began while one before them still ran, as a profiler saw it.
  std::int64_t last_overlapping() const { return last_overlapping_; }

 private:
  template <typename Ask>
  auto watched(const dispatch::Batch& batch, const Ask& ask);
  void reconcile(const dispatch::Plan& plan, const dispatch::Batch& batch, const dispatch::CallTrace& seen);

  std::shared_ptr<SelectSubject> subject_;
  Watch watch_;
  RouteEvidence evidence_;
  std::vector<std::string> last_products_;
  std::int64_t last_overlapping_ = 0;
};

}  // namespace plumbline
