#include "gpu/subject/cuda_subject.h"

#include "fixtures/error.h"
#include "gpu/runtime/stream.h"
#include "gpu/select/expand_tokens.h"
#include "gpu/select/select_fused.h"
#include "gpu/select/select_paged_tokens.h"
#include "gpu/select/topk_persistent.h"
#include "gpu/select/visible_blocks.h"
#include "gpu/subject/device_tensors.h"
#include "gpu/subject/logical_pages.h"
#include "gpu/subject/split_subject.h"

#include <algorithm>
#include <utility>

namespace plumbline::gpu {
namespace {

constexpr const char* kNeedsScores = "selects on given scores, and the case has none";
constexpr const char* kNeedsKeys = "scores a query and keys, and the case has none";

/// What the routes share: a name, and kernels that have no code for a case say so.
class RouteSubject : public SelectSubject {
 public:
  explicit RouteSubject(std::string route) : name_("cuda:" + std::move(route)) {}
  std::string name() const override { return name_; }

 protected:
  template <typename Work>
  auto served(const Work& work) const {
    try {
      return work();
    } catch (const Unsupported& unsupported) {
      throw UnsupportedCase(unsupported.what());
    }
  }
  [[noreturn]] void refuse(const char* why) const { throw UnsupportedCase(name_ + " " + why); }

 private:
  std::string name_;
};

/// Given scores: a top-k alone.
class TopkSubject final : public RouteSubject {
 public:
  TopkSubject(std::string route, TopkRoute topk) : RouteSubject(std::move(route)), topk_(topk) {}

  SelectOutputs select(const SelectInputs& inputs) override {
    if (!inputs.scores) refuse(kNeedsScores);
    const std::int32_t k = inputs.geometry.block_topk;
    const DeviceBuffer<std::byte> scores = uploaded(*inputs.scores),
                                  visible = uploaded(inputs.visible_blocks);
    const DeviceBuffer<std::int32_t> blocks = poisoned<std::int32_t>(inputs.rows * k);
    const TopkRequest request{reinterpret_cast<const float*>(scores.data()),
                              inputs.blocks,
                              reinterpret_cast<const std::int32_t*>(visible.data()),
                              inputs.rows,
                              static_cast<std::int32_t>(inputs.blocks),
                              k,
                              blocks.data(),
                              nullptr};
    served([&] {
      topk_ == TopkRoute::kLexicographic ? topk_lexicographic(request, stream_.get())
                                         : topk_persistent(request, stream_.get());
    });
    stream_.synchronize();
    return {downloaded(blocks.data(), DType::int32, {inputs.rows, k}), std::nullopt};
  }
  PagedSelectOutputs select_paged(const PagedSelectInputs&) override { refuse(kNeedsScores); }

 private:
  TopkRoute topk_;
  Stream stream_;
};

/// Query and keys: everything from the page table to the tokens.
class PagedSubject : public RouteSubject {
 public:
  using RouteSubject::RouteSubject;

  SelectOutputs select(const SelectInputs& inputs) override {
    if (!inputs.index_query || !inputs.index_key) refuse(kNeedsKeys);
    const LogicalPages pages(inputs);
    PagedSelectOutputs outputs = select_paged(pages.inputs());
    return {std::move(*outputs.selected_blocks), std::move(outputs.block_scores)};
  }

  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    const DevicePagedInputs device(inputs);
    const std::int64_t rows = device.get().rows;
    const std::int32_t k = inputs.geometry.block_topk;
    const DeviceBuffer<std::int32_t> tokens = poisoned<std::int32_t>(rows * inputs.geometry.token_width());
    const DeviceBuffer<std::int32_t> blocks = poisoned<std::int32_t>(rows * k);
    const DeviceBuffer<float> scores = poisoned<float>(writes_scores() ? rows * device.columns() : 0);
    served([&] { launch(device, k, tokens.data(), blocks.data(), scores.data(), stream_.get()); });
    stream_.synchronize();
    PagedSelectOutputs outputs;
    outputs.selected_tokens = downloaded(tokens.data(), DType::int32, {rows, inputs.geometry.token_width()});
    outputs.selected_blocks = downloaded(blocks.data(), DType::int32, {rows, k});
    if (writes_scores())
      outputs.block_scores = downloaded(scores.data(), DType::float32, {rows, device.columns()});
    return outputs;
  }

 private:
  virtual bool writes_scores() const = 0;
  virtual void launch(const DevicePagedInputs& inputs, std::int32_t k, std::int32_t* tokens,
                      std::int32_t* blocks, float* scores, cudaStream_t stream) = 0;
  Stream stream_;
};

class ScoredSubject final : public PagedSubject {
 public:
  ScoredSubject(std::string route, ScoreRoute score, TopkRoute topk) : PagedSubject(std::move(route)) {
    options_.score = score;
    options_.topk = topk;
    options_.poison_products = true;
  }

 private:
  bool writes_scores() const override { return true; }
  void launch(const DevicePagedInputs& inputs, std::int32_t k, std::int32_t* tokens, std::int32_t* blocks,
              float* scores, cudaStream_t stream) override {
    options_.block_topk = k;
    selector_.select(inputs.get(), options_, inputs.columns(), tokens, blocks, scores, stream);
    if (options_.score == ScoreRoute::kCublas && selector_.poison_survivors(stream) != 0)
      throw CudaError(name() + ": the product left elements of its output unwritten");
  }

  SelectOptions options_;
  PagedTokenSelector selector_;
};

/// Scoring fused with selection; `keeps_scores` is select.two_kernel.
class FusedSubject final : public PagedSubject {
 public:
  FusedSubject(std::string route, bool keeps_scores)
      : PagedSubject(std::move(route)), keeps_scores_(keeps_scores) {}

 private:
  bool writes_scores() const override { return keeps_scores_; }
  void launch(const DevicePagedInputs& inputs, std::int32_t k, std::int32_t* tokens, std::int32_t* blocks,
              float* scores, cudaStream_t stream) override {
    const DeviceBuffer<std::int32_t> visible = poisoned<std::int32_t>(inputs.get().rows);
    count_visible_blocks(inputs.get(), inputs.columns(), visible.data(), stream);
    selector_.select(inputs.get(), inputs.columns(), visible.data(), k, blocks,
                     keeps_scores_ ? scores : nullptr, inputs.columns(), stream);
    expand_tokens(inputs.get(), blocks, k, tokens, stream);
    PLUMBLINE_CHECK(cudaStreamSynchronize(stream));  // before `visible` goes
  }

  bool keeps_scores_;
  FusedSelector selector_;
};

template <ScoreRoute score, TopkRoute topk>
std::unique_ptr<SelectSubject> scored(const std::string& route) {
  return std::make_unique<ScoredSubject>(route, score, topk);
}
template <TopkRoute topk>
std::unique_ptr<SelectSubject> given(const std::string& route) {
  return std::make_unique<TopkSubject>(route, topk);
}
template <bool keeps_scores>
std::unique_ptr<SelectSubject> fused(const std::string& route) {
  return std::make_unique<FusedSubject>(route, keeps_scores);
}

template <SplitPlan plan>
std::unique_ptr<SelectSubject> split(const std::string& route) {
  return split_subject("cuda:" + route, plan);
}

struct Entry {
  CudaRoute route;
  std::unique_ptr<SelectSubject> (*make)(const std::string& route);
};

const std::vector<Entry>& entries() {
  using enum ScoreRoute;
  using enum TopkRoute;
  const std::string on_hopper = "score.hopper+topk.lexicographic";
  static const std::vector<Entry> all = {
      {{.name = "score.cublas_single+topk.lexicographic", .topk_contract = "canonical", .one_request = true},
       scored<kCublas, kLexicographic>},
      {{.name = "score.cublas_single+topk.products", .topk_contract = "canonical", .one_request = true},
       scored<kCublas, kProducts>},
      {{.name = "score.cublas_split+topk.lexicographic",
        .topk_contract = "canonical",
        .several_requests = true},
       split<SplitPlan::every_request>},
      {{.name = "score.cublas_split+score.paged+topk.lexicographic",
        .topk_contract = "canonical",
        .several_requests = true},
       split<SplitPlan::longest_requests>},
      {{.name = "score.paged+topk.lexicographic", .topk_contract = "canonical"},
       scored<kPaged, kLexicographic>},
      {{.name = on_hopper, .topk_contract = "canonical", .one_request = true},
       scored<kHopper, kLexicographic>},
      {{.name = "score.paged+topk.persistent", .topk_contract = "set_exact"}, scored<kPaged, kPersistent>},
      {{.name = "select.fused", .topk_contract = "canonical", .one_request = true, .scores_of = on_hopper},
       fused<false>},
      {{.name = "select.two_kernel", .topk_contract = "canonical", .one_request = true}, fused<true>},
      {{.name = "topk.lexicographic", .topk_contract = "canonical", .on_given_scores = true},
       given<kLexicographic>},
      {{.name = "topk.persistent", .topk_contract = "set_exact", .on_given_scores = true},
       given<kPersistent>},
  };
  return all;
}

}  // namespace

std::vector<CudaRoute> cuda_routes() {
  std::vector<CudaRoute> routes;
  for (const Entry& entry : entries()) routes.push_back(entry.route);
  return routes;
}

std::unique_ptr<SelectSubject> cuda_subject(const std::string& route) {
  for (const Entry& entry : entries())
    if (entry.route.name == route) return entry.make(route);
  throw InputError("unknown CUDA route '" + route + "'");
}

}  // namespace plumbline::gpu
