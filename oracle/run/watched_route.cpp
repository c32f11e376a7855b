#include "oracle/run/watched_route.h"

#include "oracle/run/per_request_subject.h"

#include <utility>

namespace plumbline {
namespace {

/// A subject with the scores another one gives for the same inputs.
class WithScoresOf final : public SelectSubject {
 public:
  WithScoresOf(std::shared_ptr<SelectSubject> subject, std::shared_ptr<SelectSubject> scores)
      : subject_(std::move(subject)), scores_(std::move(scores)) {}
  std::string name() const override { return subject_->name(); }
  SelectOutputs select(const SelectInputs& inputs) override {
    SelectOutputs outputs = subject_->select(inputs);
    outputs.scores = scores_->select(inputs).scores;
    return outputs;
  }
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    PagedSelectOutputs outputs = subject_->select_paged(inputs);
    outputs.block_scores = scores_->select_paged(inputs).block_scores;
    return outputs;
  }

 private:
  std::shared_ptr<SelectSubject> subject_, scores_;
};

WatchedRoute watched(const DeviceSubjects& device, const DeviceRoute& route, const MakeSubject& make,
                     std::int64_t times) {
  WatchedRoute watched{make(), nullptr};
  if (device.tracer == nullptr) return watched;
  Watch watch{device.tracer, dispatch::parse_capability(device.capability), route.name,
              route.on_given_scores ? dispatch::CalledStages::topk : dispatch::CalledStages::all, times};
  watched.witness = std::make_shared<WitnessedSubject>(watched.subject, std::move(watch));
  watched.subject = watched.witness;
  return watched;
}

void split_requests(const DeviceRoute& route, WatchedRoute& watched) {
  if (route.one_request) watched.subject = std::make_shared<PerRequestSubject>(watched.subject);
}

}  // namespace

WatchedRoute watched_route(const DeviceSubjects& device, const DeviceRoute& route) {
  WatchedRoute one = watched(device, route, route.subject, 1);
  if (route.scores_of) one.subject = std::make_shared<WithScoresOf>(one.subject, route.scores_of());
  split_requests(route, one);
  return one;
}

WatchedRoute watched_variant(const DeviceSubjects& device, const DeviceRoute& route,
                             const DeviceVariant& variant) {
  WatchedRoute one = watched(device, route, variant.subject, variant.times);
  split_requests(route, one);
  return one;
}

}  // namespace plumbline
