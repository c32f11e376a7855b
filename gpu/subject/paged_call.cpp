#include "gpu/subject/paged_call.h"

namespace plumbline::gpu {

PagedCall::PagedCall(const PagedSelectInputs& inputs, PagedEngine& engine)
    : engine_(engine),
      inputs_(inputs),
      rows_(inputs_.get().rows),
      width_(inputs.geometry.token_width()),
      k_(inputs.geometry.block_topk),
      visible_(rows_),
      tokens_(rows_ * width_),
      blocks_(rows_ * k_),
      scores_(engine.writes_scores() ? rows_ * inputs_.columns() : 0) {
  poison_outputs();
}

void PagedCall::launch(const Trace& trace, cudaStream_t stream) {
  float* const scores = engine_.writes_scores() ? scores_.data() : nullptr;
  engine_.launch(inputs_, k_, {visible_.data(), tokens_.data(), blocks_.data(), scores}, trace, stream);
}

void PagedCall::poison_outputs() {
  poison(visible_);
  poison(tokens_);
  poison(blocks_);
  poison(scores_);
}

PagedSelectOutputs PagedCall::outputs() const {
  PagedSelectOutputs outputs;
  outputs.selected_tokens = downloaded(tokens_.data(), DType::int32, {rows_, width_});
  outputs.selected_blocks = downloaded(blocks_.data(), DType::int32, {rows_, k_});
  if (engine_.writes_scores())
    outputs.block_scores = downloaded(scores_.data(), DType::float32, {rows_, inputs_.columns()});
  return outputs;
}

}  // namespace plumbline::gpu
