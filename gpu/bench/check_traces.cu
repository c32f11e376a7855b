#include "gpu/bench/careless_product.h"
#include "gpu/bench/check_traces.h"
#include "gpu/bench/paged_scene.cuh"
#include "gpu/dispatch/reconcile.h"
#include "gpu/select/select_paged_tokens.h"
#include "gpu/select/topk_persistent.h"
#include "gpu/trace/tracer.h"

#include <functional>
#include <string>

namespace plumbline::gpu::bench {
namespace {

constexpr std::int32_t kRows = 40, kBlocks = 3000, kPageSize = 64;

using dispatch::Route;

/// A small step, its results' memory, and the plan it is watched by.
class Scene {
 public:
  Scene()
      : scene_({{4 * kBlocks, kRows}}, kPageSize, false, false, 0, 5),
        tokens_(kRows * 2051),
        blocks_(kRows * 512),
        scores_(kRows * kBlocks) {
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
  }

  dispatch::PlannedCall planned(Route score, Route topk, std::int64_t times = 1) const {
    dispatch::PlanInput input;
    input.capability = {9, 0};
    input.gates = dispatch::gate_set("proven");
    input.batch = dispatch::make_batch({{kRows, 4 * kBlocks}}, kPageSize, scene_.inputs.table_width);
    input.forced.score = score;
    input.forced.topk = topk;
    return dispatch::planned_call(dispatch::make_plan(input), input.batch, dispatch::CalledStages::all,
                                  times);
  }

  void run(PagedTokenSelector& selector, ScoreRoute score, TopkRoute topk, const Trace& trace,
           cudaStream_t stream) const {
    SelectOptions options;
    options.score = score;
    options.topk = topk;
    options.poison_products = true;
    options.trace = trace;
    selector.select(scene_.inputs, options, kBlocks, tokens_.data(), blocks_.data(), scores_.data(), stream);
  }

 private:
  PagedScene scene_;
  DeviceBuffer<std::int32_t> tokens_, blocks_;
  DeviceBuffer<float> scores_;
};

class TraceChecks {
 public:
  explicit TraceChecks(Report& report) : report_(report) { report.fact("witnesses", tracer_.witnesses()); }

  void run() {
    agree();
    plant();
    plant_in_the_product();
    count();
  }

 private:
  dispatch::Reconciliation watch(const dispatch::PlannedCall& planned, const std::function<void()>& work) {
    tracer_.begin(planned.nonce);
    work();
    return dispatch::reconcile(planned, tracer_.end());
  }

  void lexicographic(ScoreRoute score, const Trace& trace) {
    scene_.run(selector_, score, TopkRoute::kLexicographic, trace, stream_.get());
  }

  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
    return text;
  }

  void agree() {
    const auto one = [&](const char* name, Route route, ScoreRoute score) {
      const dispatch::Reconciliation seen = watch(scene_.planned(route, Route::topk_lexicographic),
                                                  [&] { lexicographic(score, tracer_.trace()); });
      std::int64_t tags = 0, records = 0;
      for (const dispatch::RouteHit& hit : seen.hits) {
        tags += hit.tags;
        records += hit.records;
      }
      report_.check(std::string("as planned: ") + name, seen.misses.empty() && tags > 0,
                    "\"tags\": " + std::to_string(tags) + ", \"records\": " + std::to_string(records) +
                        ", \"misses\": \"" + joined(seen.misses) + "\"");
    };
    one("score.cublas_single", Route::score_cublas_single, ScoreRoute::kCublas);
    one("score.paged", Route::score_paged, ScoreRoute::kPaged);
    one("score.hopper", Route::score_hopper, ScoreRoute::kHopper);
  }

  /// A fault is seen where a miss begins with `expected`.
  void planted(const char* name, const std::string& expected, const dispatch::PlannedCall& planned,
               const std::function<void()>& work) {
    const dispatch::Reconciliation seen = watch(planned, work);
    bool found = false;
    for (const std::string& miss : seen.misses) found |= miss.starts_with(expected);
    report_.check(std::string("planted: ") + name, found, "\"misses\": \"" + joined(seen.misses) + "\"");
  }

  void plant() {
    const auto paged = scene_.planned(Route::score_paged, Route::topk_lexicographic);
    planted("another top-k than planned", "hit without a plan: topk_persistent", paged, [&] {
      scene_.run(selector_, ScoreRoute::kPaged, TopkRoute::kPersistent, tracer_.trace(), stream_.get());
    });
    planted("another scorer than planned", "planned launch without a hit: score_paged of score.paged", paged,
            [&] { lexicographic(ScoreRoute::kHopper, tracer_.trace()); });
    planted("another plan's nonce", "wrong nonce", paged, [&] {
      Trace trace = tracer_.trace();
      ++trace.nonce;
      lexicographic(ScoreRoute::kPaged, trace);
    });
    planted("kernels without a tag", "planned launch without a hit", paged,
            [&] { lexicographic(ScoreRoute::kPaged, Trace{}); });
    planted("a call that launches nothing", "planned launch without a hit", paged, [] {});
    DeviceBuffer<std::uint16_t> foreign(1024);
    planted("a foreign kernel", "symbol of another family", paged, [&] {
      lexicographic(ScoreRoute::kPaged, tracer_.trace());
      fill_vectors<<<1, 256>>>(foreign.data(), foreign.size(), 1, false, Values::kNormal, false);
      PLUMBLINE_CHECK_LAUNCH(fill_vectors);
    });
  }

  void plant_in_the_product() {
    const auto survivors = [&](ProductCare care) {
      PagedTokenSelector selector;  // survivors are counted over all its calls
      set_product_care(care);
      scene_.run(selector, ScoreRoute::kCublas, TopkRoute::kLexicographic, Trace{}, stream_.get());
      set_product_care(ProductCare::whole);
      return selector.poison_survivors(stream_.get());
    };
    const auto poisoned = [&](const char* name, ProductCare care, unsigned long long expected) {
      const unsigned long long left = survivors(care);
      report_.check(std::string("poison: ") + name, left == expected,
                    "\"survivors\": " + std::to_string(left) + ", \"expected\": " + std::to_string(expected));
    };
    poisoned("a whole product leaves none", ProductCare::whole, 0);
    poisoned("the last head of the last row is left out", ProductCare::all_but_last_row, kBlocks);
    poisoned("no product at all", ProductCare::none, std::uint64_t{kBlocks} * kRows * kIndexHeads);
    const auto cublas = scene_.planned(Route::score_cublas_single, Route::topk_lexicographic);
    planted("a product that is not launched",
            "planned launch without a hit: library_product of score.cublas_single", cublas, [&] {
              set_product_care(ProductCare::none);
              lexicographic(ScoreRoute::kCublas, tracer_.trace());
              set_product_care(ProductCare::whole);
            });
  }

  void count() {
    constexpr int kLaunches = 200, kReplays = 50;
    const auto paged = scene_.planned(Route::score_paged, Route::topk_lexicographic, 2 * kLaunches);
    PagedTokenSelector other;
    const Stream second;
    const dispatch::Reconciliation streams = watch(paged, [&] {
      for (int i = 0; i < kLaunches; ++i) {
        lexicographic(ScoreRoute::kPaged, tracer_.trace());
        scene_.run(other, ScoreRoute::kPaged, TopkRoute::kLexicographic, tracer_.trace(), second.get());
      }
    });
    report_.check("tags from two streams at once", streams.misses.empty(),
                  "\"launches\": 1600, \"misses\": \"" + joined(streams.misses) + "\"");
    const auto replayed = scene_.planned(Route::score_paged, Route::topk_lexicographic, kReplays);
    tracer_.begin(replayed.nonce);
    const Graph graph(stream_.get(), [&] { lexicographic(ScoreRoute::kPaged, tracer_.trace()); });
    tracer_.restart();
    for (int i = 0; i < kReplays; ++i) graph.launch(stream_.get());
    const dispatch::Reconciliation replays = dispatch::reconcile(replayed, tracer_.end());
    report_.check("tags of a graph's replays", replays.misses.empty(),
                  "\"replays\": 50, \"misses\": \"" + joined(replays.misses) + "\"");
  }

  Report& report_;
  Tracer tracer_;
  Scene scene_;
  Stream stream_;
  PagedTokenSelector selector_;
};

}  // namespace

void check_traces(Report& report) { TraceChecks(report).run(); }

}  // namespace plumbline::gpu::bench
