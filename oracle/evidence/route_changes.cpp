#include "oracle/evidence/route_changes.h"

#include "gpu/dispatch/route.h"

#include <algorithm>
#include <tuple>

namespace plumbline {
namespace {

std::string case_of(const std::string& id) { return id.substr(0, id.rfind('@')); }

void add_once(std::vector<std::string>& all, const std::string& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

std::string operation(std::string_view route) {
  if (route == "none" || route == "absent") return std::string(route);
  return std::string(dispatch::name_of(dispatch::operation_of(dispatch::parse_route(route))));
}

}  // namespace

std::set<std::string> operations_in(const std::string& routes) {
  std::set<std::string> operations;
  for (std::size_t begin = 0; begin < routes.size();) {
    const std::size_t end = std::min(routes.find(" + ", begin), routes.size());
    operations.insert(operation(std::string_view(routes).substr(begin, end - begin)));
    begin = end + 3;
  }
  return operations;
}

std::vector<RouteChange> route_changes(const dispatch::Snapshot& before, const dispatch::Snapshot& after) {
  std::map<std::string, const dispatch::SnapshotRow*> rows;
  for (const dispatch::SnapshotRow& row : after.rows) rows[row.id] = &row;
  std::map<std::tuple<std::string, std::string, std::string>, RouteChange> changes;
  for (const dispatch::SnapshotRow& was : before.rows) {
    const auto found = rows.find(was.id);
    if (found == rows.end()) continue;
    for (const auto& [stage, routes] : was.routes) {
      const auto is = found->second->routes.find(stage);
      const std::string now = is == found->second->routes.end() ? "absent" : is->second;
      if (now == routes) continue;
      RouteChange& change = changes[{stage, routes, now}];
      change.stage = stage;
      change.before = routes;
      change.after = now;
      ++change.cases[was.capability];
      add_once(change.ids, case_of(was.id));
    }
  }
  std::vector<RouteChange> all;
  for (auto& [key, change] : changes) all.push_back(std::move(change));
  return all;
}

std::vector<TakenOperation> taken_operations(const std::vector<RouteChange>& changes,
                                             const dispatch::Snapshot& before) {
  std::map<std::string, TakenOperation> taken;
  for (const RouteChange& change : changes) {
    const std::set<std::string> was = operations_in(change.before);
    for (const std::string& now : operations_in(change.after)) {
      if (was.contains(now)) continue;
      TakenOperation& one = taken[now];
      one.operation = now;
      one.instead_of.insert(was.begin(), was.end());
      for (const auto& [capability, cases] : change.cases) one.cases[capability] += cases;
      for (const std::string& id : change.ids) add_once(one.ids, id);
    }
  }
  std::map<std::string, const dispatch::SnapshotRow*> rows;
  for (const dispatch::SnapshotRow& row : before.rows) rows[row.id] = &row;
  std::vector<TakenOperation> all;
  for (auto& [name, one] : taken) {
    const std::string prefix = name + ": ";
    for (const auto& [capability, cases] : one.cases)
      for (const std::string& id : one.ids)
        if (const auto row = rows.find(id + "@" + capability); row != rows.end())
          for (const std::string& line : row->second->rejected)
            if (line.starts_with(prefix)) add_once(one.rejected, line.substr(prefix.size()));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace plumbline
