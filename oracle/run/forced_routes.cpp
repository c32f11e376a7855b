#include "oracle/run/forced_routes.h"

#include "fixtures/error.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline {
namespace {

void force(dispatch::ForcedRoutes& forced, const std::string& name) {
  const dispatch::Route route = dispatch::parse_route(name);
  std::optional<dispatch::Route>* slot = nullptr;
  switch (dispatch::stage_of(route)) {
    case dispatch::Stage::score:
      slot = &forced.score;
      break;
    case dispatch::Stage::topk:
      slot = &forced.topk;
      break;
    case dispatch::Stage::select:
      slot = &forced.select;
      break;
    case dispatch::Stage::attention:
      slot = &forced.attention;
      break;
    case dispatch::Stage::expand:
    case dispatch::Stage::index:
      return;  // has one route
  }
  if (slot->has_value()) throw InputError(fmt::format("route {}: another one is forced on its stage", name));
  *slot = route;
}

}  // namespace

dispatch::ForcedRoutes forced_routes(const std::vector<std::string>& names) {
  dispatch::ForcedRoutes forced;
  for (const std::string& name : names) force(forced, name);
  return forced;
}

std::vector<std::string> route_names(std::string_view joined) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= joined.size();) {
    const std::size_t plus = std::min(joined.find('+', at), joined.size());
    names.emplace_back(joined.substr(at, plus - at));
    at = plus + 1;
  }
  return names;
}

}  // namespace plumbline
