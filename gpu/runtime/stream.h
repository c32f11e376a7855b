#pragma once

#include "gpu/runtime/check.h"

#include <utility>

namespace plumbline::gpu {

/// A stream of its own, not synchronised with the default stream.
class Stream {
 public:
  Stream() { PLUMBLINE_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;
  ~Stream() {
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const { return stream_; }
  void synchronize() const { PLUMBLINE_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A timing event.
class Event {
 public:
  Event() { PLUMBLINE_CHECK(cudaEventCreate(&event_)); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (event_ != nullptr) (void)cudaEventDestroy(event_);
  }
  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) const { PLUMBLINE_CHECK(cudaEventRecord(event_, stream)); }
  void synchronize() const { PLUMBLINE_CHECK(cudaEventSynchronize(event_)); }
  /// Milliseconds from `start` to this event; both must have completed.
  float milliseconds_since(const Event& start) const {
    float elapsed = 0;
    PLUMBLINE_CHECK(cudaEventElapsedTime(&elapsed, start.event_, event_));
    return elapsed;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace plumbline::gpu
