#include "gpu/subject/split_subject.h"

#include "gpu/runtime/stream.h"
#include "gpu/select/planned_selection.h"
#include "gpu/subject/device_tensors.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace plumbline::gpu {
namespace {

using dispatch::PolicyField;
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

class SplitSubject final : public SelectSubject {
 public:
  SplitSubject(std::string name, SplitPlan plan) : name_(std::move(name)), plan_(plan) {}
  std::string name() const override { return name_; }
  SelectOutputs select(const SelectInputs&) override {
    throw UnsupportedCase(name_ +
                          " splits a step of several requests, and the case is one of logical blocks");
  }

  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    const DevicePagedInputs device(inputs);
    const dispatch::Plan plan = planned(batch_of(inputs, device.get()));
    const std::int64_t rows = device.get().rows, width = PlannedSelector::score_columns(plan);
    const std::int32_t k = inputs.geometry.block_topk;
    const DeviceBuffer<std::int32_t> tokens = poisoned<std::int32_t>(rows * inputs.geometry.token_width());
    const DeviceBuffer<std::int32_t> blocks = poisoned<std::int32_t>(rows * k);
    const DeviceBuffer<float> scores = poisoned<float>(rows * width);
    try {
      selector_.select(plan, device.get(), k, {tokens.data(), blocks.data(), scores.data(), width},
                       {.poison_products = true}, stream_.get());
    } catch (const Unsupported& unsupported) {
      throw UnsupportedCase(unsupported.what());
    }
    stream_.synchronize();
    if (selector_.poison_survivors(stream_.get()) != 0)
      throw CudaError(name_ + ": the product left elements of its output unwritten");
    PagedSelectOutputs outputs;
    outputs.selected_tokens = downloaded(tokens.data(), DType::int32, {rows, inputs.geometry.token_width()});
    outputs.selected_blocks = downloaded(blocks.data(), DType::int32, {rows, k});
    outputs.block_scores = downloaded(scores.data(), DType::float32, {rows, width});
    return outputs;
  }

 private:
  dispatch::Plan planned(const dispatch::Batch& batch) const {
    dispatch::PlanInput input{{7, 5}, dispatch::gate_set("family7x"), {}, batch, {}, {}};
    input.extensions.shared_key = false;
    input.forced.topk = Route::topk_lexicographic;
    if (plan_ == SplitPlan::every_request) {
      input.forced.score = Route::score_cublas_split;
    } else {
      std::int64_t longest = 1;
      for (std::size_t i = 1; batch.query_starts && i < batch.query_starts->size(); ++i)
        longest = std::max(longest, (*batch.query_starts)[i] - (*batch.query_starts)[i - 1]);
      input.policy = dispatch::Policy(
          {{PolicyField::qsa_cublas_min_rows, longest}, {PolicyField::qsa_cublas_min_score_elements, 1}}, {},
          true);
    }
    dispatch::Plan plan = dispatch::make_plan(input);
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
  SplitPlan plan_;
  PlannedSelector selector_;
  Stream stream_;
};

}  // namespace

std::unique_ptr<SelectSubject> split_subject(std::string name, SplitPlan plan) {
  return std::make_unique<SplitSubject>(std::move(name), plan);
}

}  // namespace plumbline::gpu
