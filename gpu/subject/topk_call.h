#pragma once

#include "fixtures/subject.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/select/select_paged_tokens.h"
#include "gpu/select/topk_lexicographic.h"
#include "gpu/subject/device_call.h"

#include <cstdint>
#include <vector>

namespace plumbline::gpu {

/// A top-k on given scores. `inputs` has scores.
class TopkCall final : public DeviceCall {
 public:
  TopkCall(const SelectInputs& inputs, TopkRoute route);
  void launch(const Trace& trace, cudaStream_t stream) override;
  void poison_outputs() override;
  void shorten(bool shortened) override;
  SelectOutputs outputs() const;

 private:
  TopkRoute route_;
  std::vector<std::int32_t> visible_;  ///< as asked
  DeviceBuffer<std::byte> scores_;
  DeviceBuffer<std::int32_t> lengths_, blocks_;
  TopkRequest request_;
};

}  // namespace plumbline::gpu
