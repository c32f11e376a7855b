#include "gpu/subject/split_subject.h"

#include "gpu/select/planned_selection.h"
#include "gpu/subject/device_call.h"
#include "gpu/subject/device_tensors.h"

#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace plumbline::gpu {
namespace {

using dispatch::Route;

std::vector<std::int64_t> integers(const TensorView& view) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < view.extent(0); ++i) {
    std::int32_t value = 0;
    std::memcpy(&value, view.at(i), sizeof value);
    values.push_back(value);
  }
  return values;
}

/// What the dispatch sees of a step on the device, where every tensor is contiguous.
dispatch::Batch batch_of(const PagedSelectInputs& inputs, const PagedInputs& device) {
  using enum dispatch::ElementType;
  const dispatch::ElementType type = device.type == KeyType::kFloat16 ? float16 : bfloat16;
  dispatch::Batch batch;
  batch.query = dispatch::contiguous(type, {device.rows, kIndexHeads, kIndexDim});
  batch.key_cache = dispatch::contiguous(type, {device.pages, device.page_size, 1, kIndexDim});
  batch.page_table = dispatch::contiguous(int32, {device.requests, device.table_width});
  batch.token_to_request = dispatch::contiguous(int32, {device.rows});
  batch.query_positions = dispatch::contiguous(device.positions_are_int32 ? int32 : int64, {device.rows});
  batch.sequence_lengths = dispatch::contiguous(int32, {device.requests});
  batch.lengths = integers(inputs.sequence_lengths);
  if (inputs.query_start_loc) batch.query_starts = integers(*inputs.query_start_loc);
  batch.block_topk = inputs.geometry.block_topk;
  batch.compress_ratio = inputs.geometry.compress_ratio;
  return batch;
}

/// One step, cut and planned on the host.
class SplitCall final : public DeviceCall {
 public:
  SplitCall(const PagedSelectInputs& inputs, const dispatch::Plan& plan, PlannedSelector& selector)
      : plan_(plan),
        selector_(selector),
        inputs_(inputs),
        k_(inputs.geometry.block_topk),
        rows_(inputs_.get().rows),
        token_width_(inputs.geometry.token_width()),
        width_(PlannedSelector::score_columns(plan)),
        tokens_(rows_ * token_width_),
        blocks_(rows_ * k_),
        scores_(rows_ * width_) {
    poison_outputs();
  }
  void launch(const Trace& trace, cudaStream_t stream) override {
    PlannedStages stages;
    stages.poison_products = true;
    stages.trace = trace;
    selector_.select(plan_, inputs_.get(), k_, {tokens_.data(), blocks_.data(), scores_.data(), width_},
                     stages, stream);
  }
  void poison_outputs() override {
    poison(tokens_);
    poison(blocks_);
    poison(scores_);
  }
  void shorten(bool shortened) override { inputs_.shorten(shortened); }
  PagedSelectOutputs outputs() const {
    PagedSelectOutputs outputs;
    outputs.selected_tokens = downloaded(tokens_.data(), DType::int32, {rows_, token_width_});
    outputs.selected_blocks = downloaded(blocks_.data(), DType::int32, {rows_, k_});
    outputs.block_scores = downloaded(scores_.data(), DType::float32, {rows_, width_});
    return outputs;
  }

 private:
  const dispatch::Plan& plan_;
  PlannedSelector& selector_;
  DevicePagedInputs inputs_;
  std::int32_t k_;
  std::int64_t rows_, token_width_, width_;
  DeviceBuffer<std::int32_t> tokens_, blocks_;
  DeviceBuffer<float> scores_;
};

class SplitSubject final : public SelectSubject {
 public:
  SplitSubject(std::string name, dispatch::SplitPlan plan, SubjectOptions options)
      : name_(std::move(name)), plan_(plan), options_(std::move(options)) {}
  std::string name() const override { return name_; }
  SelectOutputs select(const SelectInputs&) override {
    throw UnsupportedCase(name_ +
                          " splits a step of several requests, and the case is one of logical blocks");
  }

  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    const dispatch::Plan plan = planned(batch_of(inputs, DevicePagedInputs(inputs).get()));
    const MakeCall make = [&](int which) {
      return std::make_unique<SplitCall>(inputs, plan, selectors_.at(static_cast<std::size_t>(which)));
    };
    std::unique_ptr<DeviceCall> call;
    try {
      call = run_call(options_.mode, make, options_.tracer.get());
    } catch (const Unsupported& unsupported) {
      throw UnsupportedCase(unsupported.what());
    }
    for (const PlannedSelector& selector : selectors_) {
      if (selector.poison_survivors(nullptr) != 0)
        throw RouteMissed(name_ + ": the product left elements of its poisoned output unwritten");
    }
    return static_cast<const SplitCall&>(*call).outputs();
  }

 private:
  dispatch::Plan planned(const dispatch::Batch& batch) const {
    dispatch::Plan plan = dispatch::make_plan(dispatch::split_input(batch, plan_));
    require_split(plan, batch);
    return plan;
  }

  void require_split(const dispatch::Plan& plan, const dispatch::Batch& batch) const {
    if (batch.requests() < 2) throw UnsupportedCase(name_ + " splits a step of several requests, found one");
    const dispatch::Gate* failed = nullptr;
    for (const dispatch::SegmentPlan& segment : plan.segments) {
      const dispatch::Decision& score = segment.groups.front().score;
      if (score.route == Route::score_cublas_split && score.supported()) return;
      for (const dispatch::Candidate& candidate : score.candidates) {
        if (candidate.route == Route::score_cublas_split && failed == nullptr)
          failed = candidate.first_failed();
      }
    }
    throw UnsupportedCase(name_ + (failed == nullptr
                                       ? ": the plan splits nothing"
                                       : ": " + std::string(failed->name) + " (" + failed->observed +
                                             ", required " + failed->required + ")"));
  }

  std::string name_;
  dispatch::SplitPlan plan_;
  SubjectOptions options_;
  std::array<PlannedSelector, 2> selectors_;  ///< one a stream
};

}  // namespace

std::unique_ptr<SelectSubject> split_subject(std::string name, dispatch::SplitPlan plan,
                                             SubjectOptions options) {
  return std::make_unique<SplitSubject>(std::move(name), plan, std::move(options));
}

}  // namespace plumbline::gpu
