#include "gpu/subject/topk_call.h"

#include "fixtures/packed_bytes.h"
#include "gpu/select/topk_persistent.h"
#include "gpu/subject/device_tensors.h"

#include <cstring>

namespace plumbline::gpu {

TopkCall::TopkCall(const SelectInputs& inputs, TopkRoute route)
    : route_(route),
      visible_(static_cast<std::size_t>(inputs.rows)),
      scores_(uploaded(*inputs.scores)),
      lengths_(inputs.rows),
      blocks_(inputs.rows * inputs.geometry.block_topk) {
  const std::vector<std::byte> visible = packed_bytes(inputs.visible_blocks);
  std::memcpy(visible_.data(), visible.data(), visible.size());
  request_ = {reinterpret_cast<const float*>(scores_.data()),
              inputs.blocks,
              lengths_.data(),
              inputs.rows,
              static_cast<std::int32_t>(inputs.blocks),
              inputs.geometry.block_topk,
              blocks_.data(),
              nullptr};
  shorten(false);
  poison_outputs();
}

void TopkCall::launch(const Trace& trace, cudaStream_t stream) {
  route_ == TopkRoute::kLexicographic
      ? topk_lexicographic(request_, stream, trace.of(dispatch::Route::topk_lexicographic))
      : topk_persistent(request_, stream, trace.of(dispatch::Route::topk_persistent));
}

void TopkCall::poison_outputs() { poison(blocks_); }

void TopkCall::shorten(bool shortened) {
  std::vector<std::int32_t> lengths = visible_;
  if (shortened)
    for (std::int32_t& length : lengths) length /= 2;
  upload(lengths, lengths_.data());
}

SelectOutputs TopkCall::outputs() const {
  return {downloaded(blocks_.data(), DType::int32, {request_.rows, request_.k}), std::nullopt};
}

}  // namespace plumbline::gpu
