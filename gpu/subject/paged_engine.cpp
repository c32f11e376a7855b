#include "gpu/subject/paged_engine.h"

#include "gpu/select/expand_tokens.h"
#include "gpu/select/select_fused.h"
#include "gpu/select/visible_blocks.h"

namespace plumbline::gpu {
namespace {

class ScoredEngine final : public PagedEngine {
 public:
  ScoredEngine(ScoreRoute score, TopkRoute topk) {
    options_.score = score;
    options_.topk = topk;
    options_.poison_products = true;
  }
  bool writes_scores() const override { return true; }
  void launch(const DevicePagedInputs& inputs, std::int32_t k, const PagedTargets& targets,
              const Trace& trace, cudaStream_t stream) override {
    options_.block_topk = k;
    options_.trace = trace;
    selector_.select(inputs.get(), options_, inputs.columns(), targets.tokens, targets.blocks, targets.scores,
                     stream);
  }
  unsigned long long unwritten() const override { return selector_.poison_survivors(nullptr); }

 private:
  SelectOptions options_;
  PagedTokenSelector selector_;
};

class FusedEngine final : public PagedEngine {
 public:
  explicit FusedEngine(bool keeps_scores) : keeps_scores_(keeps_scores) {}
  bool writes_scores() const override { return keeps_scores_; }
  void launch(const DevicePagedInputs& inputs, std::int32_t k, const PagedTargets& targets,
              const Trace& trace, cudaStream_t stream) override {
    const TraceTag tag =
        trace.of(keeps_scores_ ? dispatch::Route::select_two_kernel : dispatch::Route::select_fused);
    count_visible_blocks(inputs.get(), inputs.columns(), targets.visible, stream, tag);
    selector_.select(inputs.get(), inputs.columns(), targets.visible, k, targets.blocks, targets.scores,
                     inputs.columns(), stream, tag);
    expand_tokens(inputs.get(), targets.blocks, k, targets.tokens, stream,
                  trace.of(dispatch::Route::expand_tokens));
  }

 private:
  bool keeps_scores_;
  FusedSelector selector_;
};

}  // namespace

std::unique_ptr<PagedEngine> scored_engine(ScoreRoute score, TopkRoute topk) {
  return std::make_unique<ScoredEngine>(score, topk);
}

std::unique_ptr<PagedEngine> fused_engine(bool keeps_scores) {
  return std::make_unique<FusedEngine>(keeps_scores);
}

}  // namespace plumbline::gpu
