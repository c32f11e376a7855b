#pragma once

#include "fixtures/subject.h"
#include "gpu/subject/device_call.h"
#include "gpu/subject/paged_engine.h"

#include <cstdint>

namespace plumbline::gpu {

/// A paged question to an engine, which outlives it. Throws UnsupportedCase as DevicePagedInputs.
class PagedCall final : public DeviceCall {
 public:
  PagedCall(const PagedSelectInputs& inputs, PagedEngine& engine);
  void launch(const Trace& trace, cudaStream_t stream) override;
  void poison_outputs() override;
  void shorten(bool shortened) override { inputs_.shorten(shortened); }
  PagedSelectOutputs outputs() const;

 private:
  PagedEngine& engine_;
  DevicePagedInputs inputs_;
  std::int64_t rows_, width_;
  std::int32_t k_;
  DeviceBuffer<std::int32_t> visible_, tokens_, blocks_;
  DeviceBuffer<float> scores_;
};

}  // namespace plumbline::gpu
