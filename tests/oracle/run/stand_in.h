#pragma once

#include "gpu/dispatch/call_trace.h"
#include "oracle/run/device_subjects.h"
#include "reference/select/reference_subject.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// A stand-in for a device's route: the reference's selection, spoilt as a test likes.
class SpoiltSubject : public SelectSubject {
 public:
  using Spoil = std::function<void(const SelectInputs&, SelectOutputs&)>;
  using SpoilPaged = std::function<void(const PagedSelectInputs&, PagedSelectOutputs&)>;
  explicit SpoiltSubject(Spoil spoil = {}, SpoilPaged spoil_paged = {})
      : spoil_(std::move(spoil)), spoil_paged_(std::move(spoil_paged)) {}
  std::string name() const override { return "stand-in"; }
  SelectOutputs select(const SelectInputs& inputs) override {
    SelectOutputs outputs = reference_.select(inputs);
    if (spoil_) spoil_(inputs, outputs);
    return outputs;
  }
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    PagedSelectOutputs outputs = reference_.select_paged(inputs);
    if (spoil_paged_) spoil_paged_(inputs, outputs);
    return outputs;
  }

 private:
  Spoil spoil_;
  SpoilPaged spoil_paged_;
  ReferenceSubject reference_;
};

/// Witnesses that report what score.paged+topk.lexicographic launches, as planned, but for what a test
/// changes.
class StandInTracer final : public dispatch::CallTracer {
 public:
  std::function<void(dispatch::CallTrace&)> change;
  int begun = 0, ended = 0;

  void begin(std::uint64_t nonce) override {
    nonce_ = nonce;
    ++begun;
  }
  dispatch::CallTrace end() override {
    ++ended;
    dispatch::CallTrace trace;
    trace.tags.emplace();
    trace.records.emplace();
    using dispatch::Kernel;
    using dispatch::Route;
    launched(trace, Route::score_paged, Kernel::visible_blocks, "visible_blocks_kernel");
    launched(trace, Route::score_paged, Kernel::score_paged, "score_paged_kernel<32>");
    launched(trace, Route::topk_lexicographic, Kernel::topk_lexicographic, "topk_lexicographic_kernel<3>");
    launched(trace, Route::expand_tokens, Kernel::expand_tokens, "expand_tokens_kernel");
    if (change) change(trace);
    return trace;
  }
  std::string witnesses() const override { return "stand-ins"; }

 private:
  void launched(dispatch::CallTrace& trace, dispatch::Route route, dispatch::Kernel kernel,
                const std::string& symbol) const {
    trace.tags->push_back({nonce_, route, kernel});
    trace.records->push_back({nonce_, "plumbline::gpu::" + symbol, {16, 1, 1}, 10, 12});
  }
  std::uint64_t nonce_ = 0;
};

/// A device with one route, of that name.
inline DeviceSubjects stand_in_device(MakeSubject subject, const std::string& route = "stand-in") {
  DeviceRoute one;
  one.name = route;
  one.subject = std::move(subject);
  DeviceSubjects device;
  device.device = "none at all";
  device.capability = "9.0";
  device.routes = {one};
  return device;
}

}  // namespace plumbline
