#include "gpu/dispatch/route.h"

#include <array>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

struct RouteInfo {
  Route route;
  std::string_view name;
  Stage stage;
  bool has_kernel;
  Route operation;
};

constexpr Route kLexicographic = Route::topk_lexicographic;

constexpr std::array kRoutes = {
    RouteInfo{Route::score_cublas_single, "score.cublas_single", Stage::score, true,
              Route::score_cublas_single},
    RouteInfo{Route::score_cublas_split, "score.cublas_split", Stage::score, true, Route::score_cublas_split},
    RouteInfo{Route::score_shared_key, "score.shared_key", Stage::score, false, Route::score_shared_key},
    RouteInfo{Route::score_paged, "score.paged", Stage::score, true, Route::score_paged},
    RouteInfo{Route::score_hopper, "score.hopper", Stage::score, true, Route::score_hopper},
    RouteInfo{Route::topk_lexicographic, "topk.lexicographic", Stage::topk, true, kLexicographic},
    RouteInfo{Route::topk_lexicographic_identity, "topk.lexicographic.identity", Stage::topk, true,
              kLexicographic},
    RouteInfo{Route::topk_lexicographic_generic, "topk.lexicographic.generic", Stage::topk, true,
              kLexicographic},
    RouteInfo{Route::topk_lexicographic_decode, "topk.lexicographic.decode", Stage::topk, true,
              kLexicographic},
    RouteInfo{Route::topk_lexicographic_compact, "topk.lexicographic.compact", Stage::topk, true,
              kLexicographic},
    RouteInfo{Route::topk_lexicographic_mtp, "topk.lexicographic.mtp", Stage::topk, false, kLexicographic},
    RouteInfo{Route::topk_cooperative, "topk.cooperative", Stage::topk, false, Route::topk_cooperative},
    RouteInfo{Route::topk_persistent, "topk.persistent", Stage::topk, true, Route::topk_persistent},
    RouteInfo{Route::topk_products, "topk.products", Stage::topk, true, Route::topk_products},
    RouteInfo{Route::expand_tokens, "expand.tokens", Stage::expand, true, Route::expand_tokens},
    RouteInfo{Route::attention_page4, "attention.page4", Stage::attention, false, Route::attention_page4},
    RouteInfo{Route::attention_resolved, "attention.resolved", Stage::attention, false,
              Route::attention_resolved},
    RouteInfo{Route::attention_splitk, "attention.splitk", Stage::attention, true, Route::attention_splitk},
    RouteInfo{Route::attention_direct, "attention.direct", Stage::attention, true, Route::attention_direct},
    RouteInfo{Route::select_fused, "select.fused", Stage::select, true, Route::select_fused},
    RouteInfo{Route::select_two_kernel, "select.two_kernel", Stage::select, true, Route::select_two_kernel},
    RouteInfo{Route::index_projection, "index.projection", Stage::index, true, Route::index_projection},
    RouteInfo{Route::index_rotation, "index.rotation", Stage::index, true, Route::index_rotation},
    RouteInfo{Route::index_queries, "index.queries", Stage::index, true, Route::index_queries},
    RouteInfo{Route::index_keys, "index.keys", Stage::index, true, Route::index_keys},
};

const RouteInfo& info_of(Route route) {
  for (const RouteInfo& info : kRoutes) {
    if (info.route == route) return info;
  }
  throw std::invalid_argument(fmt::format("no route has the number {}", static_cast<int>(route)));
}

}  // namespace

std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::score:
      return "score";
    case Stage::topk:
      return "topk";
    case Stage::expand:
      return "expand";
    case Stage::attention:
      return "attention";
    case Stage::select:
      return "select";
    case Stage::index:
      return "index";
  }
  return "?";
}

std::string_view name_of(Route route) { return route == Route::none ? "none" : info_of(route).name; }

Route parse_route(std::string_view name) {
  std::string known;
  for (const RouteInfo& info : kRoutes) {
    if (info.name == name) return info.route;
    known += known.empty() ? "" : ", ";
    known += info.name;
  }
  throw std::invalid_argument(fmt::format("unknown route '{}'; routes: {}", name, known));
}

Stage stage_of(Route route) { return info_of(route).stage; }

bool has_kernel(Route route) { return route != Route::none && info_of(route).has_kernel; }

Route operation_of(Route route) { return route == Route::none ? route : info_of(route).operation; }

const std::vector<Route>& all_routes() {
  static const std::vector<Route> routes = [] {
    std::vector<Route> all;
    for (const RouteInfo& info : kRoutes) all.push_back(info.route);
    return all;
  }();
  return routes;
}

}  // namespace plumbline::dispatch
