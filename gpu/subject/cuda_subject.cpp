#include "gpu/subject/cuda_subject.h"

#include "fixtures/error.h"
#include "gpu/runtime/check.h"
#include "gpu/subject/logical_pages.h"
#include "gpu/subject/paged_call.h"
#include "gpu/subject/split_subject.h"
#include "gpu/subject/topk_call.h"
#include "gpu/trace/tracer.h"

#include <array>
#include <utility>

namespace plumbline::gpu {
namespace {

constexpr const char* kNeedsScores = "selects on given scores, and the case has none";
constexpr const char* kNeedsKeys = "scores a query and keys, and the case has none";

/// What the routes share: a name, a mode and a tracer, and kernels that have no code for a case say so.
class RouteSubject : public SelectSubject {
 public:
  RouteSubject(const std::string& route, SubjectOptions options)
      : name_("cuda:" + route), options_(std::move(options)) {}
  std::string name() const override { return name_; }

 protected:
  [[noreturn]] void refuse(const char* why) const { throw UnsupportedCase(name_ + " " + why); }

  /// The call whose outputs are the answer.
  template <typename Call>
  std::unique_ptr<Call> answered(const std::function<std::unique_ptr<Call>(int which)>& make) const {
    try {
      std::unique_ptr<DeviceCall> call = run_call(options_.mode, make, options_.tracer.get());
      return std::unique_ptr<Call>(static_cast<Call*>(call.release()));
    } catch (const Unsupported& unsupported) {
      throw UnsupportedCase(unsupported.what());
    }
  }

 private:
  std::string name_;
  SubjectOptions options_;
};

class TopkSubject final : public RouteSubject {
 public:
  TopkSubject(const std::string& route, SubjectOptions options, TopkRoute topk)
      : RouteSubject(route, std::move(options)), topk_(topk) {}

  SelectOutputs select(const SelectInputs& inputs) override {
    if (!inputs.scores) refuse(kNeedsScores);
    return answered<TopkCall>([&](int) { return std::make_unique<TopkCall>(inputs, topk_); })->outputs();
  }
  PagedSelectOutputs select_paged(const PagedSelectInputs&) override { refuse(kNeedsScores); }

 private:
  TopkRoute topk_;
};

class PagedSubject final : public RouteSubject {
 public:
  PagedSubject(const std::string& route, SubjectOptions options,
               std::function<std::unique_ptr<PagedEngine>()> engine)
      : RouteSubject(route, std::move(options)), engine_(std::move(engine)) {}

  SelectOutputs select(const SelectInputs& inputs) override {
    if (!inputs.index_query || !inputs.index_key) refuse(kNeedsKeys);
    const LogicalPages pages(inputs);
    PagedSelectOutputs outputs = select_paged(pages.inputs());
    return {std::move(*outputs.selected_blocks), std::move(outputs.block_scores)};
  }

  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    PagedSelectOutputs outputs = answered<PagedCall>([&](int which) {
                                   return std::make_unique<PagedCall>(inputs, engine(which));
                                 })->outputs();
    for (const std::unique_ptr<PagedEngine>& engine : engines_) {
      if (engine == nullptr || engine->unwritten() == 0) continue;
      throw RouteMissed(name() + ": the product left " + std::to_string(engine->unwritten()) +
                        " elements of its poisoned output unwritten");
    }
    return outputs;
  }

 private:
  PagedEngine& engine(int which) {
    std::unique_ptr<PagedEngine>& one = engines_.at(static_cast<std::size_t>(which));
    if (one == nullptr) one = engine_();
    return *one;
  }

  std::function<std::unique_ptr<PagedEngine>()> engine_;
  std::array<std::unique_ptr<PagedEngine>, 2> engines_;  ///< one a stream, kept between calls
};

template <ScoreRoute score, TopkRoute topk>
std::unique_ptr<SelectSubject> scored(const std::string& route, SubjectOptions options) {
  return std::make_unique<PagedSubject>(route, std::move(options), [] { return scored_engine(score, topk); });
}
template <TopkRoute topk>
std::unique_ptr<SelectSubject> given(const std::string& route, SubjectOptions options) {
  return std::make_unique<TopkSubject>(route, std::move(options), topk);
}
template <bool keeps_scores>
std::unique_ptr<SelectSubject> fused(const std::string& route, SubjectOptions options) {
  return std::make_unique<PagedSubject>(route, std::move(options), [] { return fused_engine(keeps_scores); });
}

template <dispatch::SplitPlan plan>
std::unique_ptr<SelectSubject> split(const std::string& route, SubjectOptions options) {
  return split_subject("cuda:" + route, plan, std::move(options));
}

struct Entry {
  CudaRoute route;
  std::unique_ptr<SelectSubject> (*make)(const std::string& route, SubjectOptions options);
};

const std::vector<Entry>& entries() {
  using enum ScoreRoute;
  using enum TopkRoute;
  const std::string on_hopper = "score.hopper+topk.lexicographic";
  static const std::vector<Entry> all = {
      {{.name = "score.cublas_single+topk.lexicographic",
        .topk_contract = "canonical",
        .one_request = true,
        .library_scores = true},
       scored<kCublas, kLexicographic>},
      {{.name = "score.cublas_single+topk.products",
        .topk_contract = "canonical",
        .one_request = true,
        .library_scores = true},
       scored<kCublas, kProducts>},
      {{.name = "score.cublas_split+topk.lexicographic",
        .topk_contract = "canonical",
        .several_requests = true},
       split<dispatch::SplitPlan::every_request>},
      {{.name = "score.cublas_split+score.paged+topk.lexicographic",
        .topk_contract = "canonical",
        .several_requests = true},
       split<dispatch::SplitPlan::longest_requests>},
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

std::unique_ptr<SelectSubject> cuda_subject(const std::string& route, SubjectOptions options) {
  for (const Entry& entry : entries())
    if (entry.route.name == route) return entry.make(route, std::move(options));
  throw InputError("unknown CUDA route '" + route + "'");
}

}  // namespace plumbline::gpu
