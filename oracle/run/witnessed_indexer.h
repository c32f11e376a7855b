#pragma once

#include "fixtures/indexer_subject.h"
#include "gpu/dispatch/call_trace.h"
#include "gpu/dispatch/planned_index.h"
#include "oracle/report/run_report.h"

#include <functional>
#include <memory>

namespace plumbline {

/// Plans every call of an indexer, has it watched, and reconciles the plan with what the witnesses saw.
class WitnessedIndexer final : public IndexerSubject {
 public:
  WitnessedIndexer(std::shared_ptr<IndexerSubject> subject, std::shared_ptr<dispatch::CallTracer> tracer)
      : subject_(std::move(subject)), watch_(std::make_shared<Watch>(std::move(tracer))) {}
  std::string name() const override { return subject_->name(); }
  Tensor project(const TensorView& x, const TensorView& weight) override;
  std::unique_ptr<IndexerSequences> start(const IndexerModel& model, const IndexerStorage& storage) override;

  const RouteEvidence& evidence() const { return watch_->evidence; }

 private:
  class Sequences;
  struct Watch {
    explicit Watch(std::shared_ptr<dispatch::CallTracer> watcher) : tracer(std::move(watcher)) {}
    void over(const dispatch::PlannedCall& planned, const std::function<void()>& call);

    std::shared_ptr<dispatch::CallTracer> tracer;
    RouteEvidence evidence;
  };

  std::shared_ptr<IndexerSubject> subject_;
  std::shared_ptr<Watch> watch_;  ///< sequences may outlive this
};

}  // namespace plumbline
