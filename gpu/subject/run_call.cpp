#include "gpu/runtime/graph.h"
#include "gpu/runtime/stream.h"
#include "gpu/subject/device_call.h"
#include "gpu/subject/device_tensors.h"

namespace plumbline::gpu {
namespace {

class Runner {
 public:
  Runner(const MakeCall& make, Tracer* tracer) : make_(make), tracer_(tracer) {}

  std::unique_ptr<DeviceCall> plain() {
    std::unique_ptr<DeviceCall> call = make_(0);
    await_inputs();
    call->launch(trace(), first_.get());
    first_.synchronize();
    return call;
  }

  std::unique_ptr<DeviceCall> on_two_streams(RunMode mode) {
    std::unique_ptr<DeviceCall> first = make_(0), second = make_(1);
    await_inputs();
    first->launch(trace(), first_.get());
    second->launch(trace(), second_.get());
    prepared();
    first->poison_outputs();
    second->poison_outputs();
    await_inputs();
    for (int launch = 0; launch < times_run(mode); launch += 2) {
      first->launch(trace(), first_.get());
      second->launch(trace(), second_.get());
    }
    first_.synchronize();
    second_.synchronize();
    return mode == RunMode::first_of_two_streams ? std::move(first) : std::move(second);
  }

  std::unique_ptr<DeviceCall> replayed() {
    std::unique_ptr<DeviceCall> call = make_(0);
    call->shorten(true);
    await_inputs();
    const Graph graph(first_.get(), [&] { call->launch(trace(), first_.get()); });
    graph.launch(first_.get());
    first_.synchronize();
    call->shorten(false);
    prepared();
    call->poison_outputs();
    await_inputs();
    graph.launch(first_.get());
    first_.synchronize();
    return call;
  }

 private:
  Trace trace() const { return tracer_ != nullptr ? tracer_->trace() : Trace{}; }
  void prepared() const {
    await_inputs();
    if (tracer_ != nullptr) tracer_->restart();
  }

  const MakeCall& make_;
  Tracer* tracer_;
  Stream first_, second_;
};

}  // namespace

std::unique_ptr<DeviceCall> run_call(RunMode mode, const MakeCall& make, Tracer* tracer) {
  Runner runner(make, tracer);
  switch (mode) {
    case RunMode::first_of_two_streams:
    case RunMode::second_of_two_streams:
      return runner.on_two_streams(mode);
    case RunMode::graph_replay:
      return runner.replayed();
    default:
      return runner.plain();
  }
}

}  // namespace plumbline::gpu
