#include "oracle/run/witnessed_indexer.h"

#include "gpu/dispatch/reconcile.h"

#include <utility>

namespace plumbline {
namespace {

dispatch::IndexShape shape_of(const IndexerModel& model) {
  return {std::string(name_of(model.storage)), model.geometry.index_heads, model.geometry.index_head_dim,
          model.rotary_dim, model.geometry.compress_ratio};
}

}  // namespace

void WitnessedIndexer::Watch::over(const dispatch::PlannedCall& planned, const std::function<void()>& call) {
  tracer->begin(planned.nonce);
  try {
    call();
  } catch (...) {
    tracer->end();
    throw;
  }
  evidence.add(dispatch::reconcile(planned, tracer->end()));
}

class WitnessedIndexer::Sequences final : public IndexerSequences {
 public:
  Sequences(std::unique_ptr<IndexerSequences> sequences, dispatch::IndexShape shape,
            std::shared_ptr<Watch> watch)
      : sequences_(std::move(sequences)), shape_(std::move(shape)), watch_(std::move(watch)) {}
  Tensor step(const IndexerStep& step) override {
    Tensor queries;
    watch_->over(dispatch::planned_index_step(shape_, step.projected.extent(0)),
                 [&] { queries = sequences_->step(step); });
    return queries;
  }
  Tensor keys() const override { return sequences_->keys(); }
  Tensor ring() const override { return sequences_->ring(); }

 private:
  std::unique_ptr<IndexerSequences> sequences_;
  dispatch::IndexShape shape_;
  std::shared_ptr<Watch> watch_;
};

Tensor WitnessedIndexer::project(const TensorView& x, const TensorView& weight) {
  Tensor projected;
  watch_->over(
      dispatch::planned_projection(std::string(name_of(x.dtype)), x.extent(0), x.extent(1), weight.extent(0)),
      [&] { projected = subject_->project(x, weight); });
  return projected;
}

std::unique_ptr<IndexerSequences> WitnessedIndexer::start(const IndexerModel& model,
                                                          const IndexerStorage& storage) {
  const dispatch::IndexShape shape = shape_of(model);
  std::unique_ptr<IndexerSequences> sequences;
  watch_->over(dispatch::planned_rotation(shape, storage.most_coordinate + 1),
               [&] { sequences = subject_->start(model, storage); });
  return std::make_unique<Sequences>(std::move(sequences), shape, watch_);
}

}  // namespace plumbline
