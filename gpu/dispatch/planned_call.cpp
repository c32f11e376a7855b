#include "gpu/dispatch/planned_call.h"

#include "gpu/dispatch/read_back.h"

#include <algorithm>
#include <stdexcept>

namespace plumbline::dispatch {
namespace {

constexpr std::int64_t kAny = PlannedLaunch::kAny;

void add_once(std::vector<Route>& routes, Route route) {
  const Route operation = operation_of(route);
  if (std::find(routes.begin(), routes.end(), operation) == routes.end()) routes.push_back(operation);
}

std::int64_t score_columns(const Batch& batch) {
  std::int64_t longest = 0;
  for (const std::int64_t tokens : batch.lengths) longest = std::max(longest, tokens / batch.compress_ratio);
  return std::min(longest, batch.capacity());
}

/// `products`: the top-k takes the products, and scores are written only where they are asked for.
std::vector<PlannedLaunch> scoring(Route route, bool products) {
  switch (route) {
    case Route::score_paged:
      return {{route, Kernel::score_paged, 1, kAny}};
    case Route::score_hopper:
      return {{route, Kernel::score_hopper, 1, kAny}};
    default:  // the cuBLAS routes; a product is poisoned only where it is watched
      break;
  }
  std::vector<PlannedLaunch> launches = {{route, Kernel::gather_keys, 1, kAny},
                                         {route, Kernel::poison_product, 0, kAny},
                                         {route, Kernel::library_product, 1, kAny},
                                         {route, Kernel::score_epilogue, products ? 0 : 1, kAny}};
  if (products) launches.push_back({route, Kernel::count_poison, 0, kAny});
  return launches;
}

std::vector<PlannedLaunch> selecting(Route route) {
  const Kernel kernel = route == Route::topk_persistent ? Kernel::topk_persistent
                        : route == Route::topk_products ? Kernel::topk_products
                                                        : Kernel::topk_lexicographic;
  return {{route, kernel, 1, kAny}};
}

/// Scoring and selection in one.
std::vector<PlannedLaunch> fused(Route route, std::int64_t columns) {
  if (columns == 0) return {};
  if (route == Route::select_two_kernel && columns <= kReadBackColumns)
    return {{route, Kernel::score_hopper, 1, 1}, {route, Kernel::topk_lexicographic, 1, 1}};
  return {{route, Kernel::fused_score, 1, kAny},
          {route, Kernel::list_selection, 1, kAny},
          {route, Kernel::handed_over_scores, 1, kAny},
          {route, Kernel::handed_over_selection, 1, kAny}};
}

}  // namespace

PlannedCall planned_call(const Plan& plan, const Batch& batch, CalledStages stages, std::int64_t times) {
  if (!plan.selection_supported())
    throw std::invalid_argument("a plan without a kernel for each stage launches nothing");
  PlannedCall call;
  call.nonce = plan.nonce;
  const auto add = [&](const std::vector<PlannedLaunch>& more) {
    for (PlannedLaunch launch : more) {
      launch.least *= times;
      if (launch.most != kAny) launch.most *= times;
      call.launches.push_back(launch);
    }
  };
  if (plan.rows == 0) return call;
  std::vector<Route> scorers, selectors;
  for (const SegmentPlan& segment : plan.segments) {
    for (const ChunkGroup& group : segment.groups) {
      add_once(scorers, group.score.route);
      add_once(selectors, group.topk.route);
    }
  }
  if (stages == CalledStages::topk) {
    for (const Route route : selectors) add(selecting(route));
    return call;
  }
  const std::int64_t columns = score_columns(batch);
  add({{plan.select ? plan.select->route : scorers.front(), Kernel::visible_blocks, 1, 1}});
  if (plan.select) {
    add(fused(plan.select->route, columns));
  } else {
    if (columns > 0)
      for (const Route route : scorers) add(scoring(route, selectors == std::vector{Route::topk_products}));
    for (const Route route : selectors) add(selecting(route));
  }
  add({{Route::expand_tokens, Kernel::expand_tokens, 1, 1}});
  return call;
}

}  // namespace plumbline::dispatch
