#include "oracle/evidence/cells.h"

#include "fixtures/cases/case_spec.h"
#include "fixtures/error.h"
#include "gpu/dispatch/snapshot.h"
#include "gpu/dispatch/snapshot_cases.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <tuple>

namespace plumbline {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(at, begin);
    parts.push_back(text.substr(begin, end - begin));
  }
  return parts;
}

template <class T>
void insert_sorted(std::vector<T>& all, const T& one) {
  const auto at = std::lower_bound(all.begin(), all.end(), one);
  if (at == all.end() || *at != one) all.insert(at, one);
}

// A variant counts as its operation, which is what plans, tags and records name.
std::string operation(const std::string& route) {
  try {
    return std::string(name_of(dispatch::operation_of(dispatch::parse_route(route))));
  } catch (const std::invalid_argument&) {
    return route;
  }
}

void add_case(const EvidenceCheck& check, EvidenceCell& cell) {
  if (check.source.ends_with(".h5")) {
    insert_sorted(cell.captures, std::filesystem::path(check.source).stem().string());
    return;
  }
  try {
    return insert_sorted(cell.seeds, parse_case(check.source).seed);
  } catch (const InputError&) {  // text of another kind: the index kernels', attention's
  }
  std::smatch found;
  if (std::regex_search(check.source, found, std::regex("seed[= ]([0-9]{1,19})$")))
    insert_sorted(cell.seeds, std::uint64_t{std::stoull(found[1].str())});
}

}  // namespace

std::vector<std::string> paths_of(const EvidenceCheck& check) {
  const std::vector<std::string> parts = split(check.name, '/');
  if (parts.front() == "plugin" && parts.size() > 1) return {"plugin." + parts[1]};
  if (check.capability == "cpu") return {"cpu." + parts.front()};
  std::set<std::string> paths;
  for (const EvidenceHit& hit : check.hits) paths.insert(operation(hit.route));
  if (parts.size() < 2) return {paths.begin(), paths.end()};
  if (parts[1] == "attention") {
    // "attention.splitk@8" names its route, "attention.planned" leaves it to the batch: then the hits say.
    const std::string way = parts.back().substr(0, parts.back().find('@'));
    if (way != "attention.planned" || paths.empty()) paths.insert(operation(way));
  } else {
    for (const std::string& route : split(parts[1], '+')) paths.insert(operation(route));
  }
  return {paths.begin(), paths.end()};
}

EvidenceCell& CellTable::at(const std::string& path, const std::string& capability) {
  EvidenceCell& cell = cells_[{path, capability}];
  cell.path = path;
  cell.capability = capability;
  return cell;
}

void CellTable::add(const EvidenceCheck& check) {
  if (check.status == Status::not_executed || check.status == Status::unsupported) return;
  if (check.status == Status::vacuous && check.expect_vacuous) return;
  for (const std::string& path : paths_of(check)) {
    EvidenceCell& cell = at(path, check.capability);
    ++cell.checks;
    if (check.status != Status::pass) continue;
    ++cell.passed;
    cell.level = std::max(cell.level, Level::executed);
    add_case(check, cell);
  }
  if (check.status != Status::pass) return;
  for (const EvidenceHit& hit : check.hits) {
    EvidenceCell& cell = at(operation(hit.route), check.capability);
    cell.tags += hit.tags;
    cell.records += hit.records;
  }
}

void CellTable::add(const EvidenceFigure& figure, const std::string& capability) {
  for (const std::string& route : split(figure.route, '+')) {
    const auto found = cells_.find({operation(route), capability});
    // A time of what nobody judged is no measurement of a right answer.
    if (found == cells_.end() || found->second.passed == 0) continue;
    found->second.level = Level::measured;
    insert_sorted(found->second.figures, figure.name());
  }
}

namespace {

// Operation and capability → gate set → cases that take it. A constant of the build, and long in the making.
using Planned = std::map<std::pair<std::string, std::string>, std::map<std::string, std::int64_t>>;

Planned planned_everywhere() {
  Planned planned;
  for (const dispatch::Capability capability : dispatch::snapshot_capabilities())
    for (const dispatch::Route route : dispatch::all_routes())
      if (dispatch::operation_of(route) == route)
        planned[{std::string(name_of(route)), dispatch::to_string(capability)}];
  for (const std::string& gates : dispatch::gate_set_names()) {
    for (const dispatch::SnapshotRow& row : dispatch::take_snapshot(dispatch::gate_set(gates)).rows) {
      std::set<std::string> taken;
      for (const auto& [stage, routes] : row.routes)
        for (std::size_t begin = 0; begin < routes.size();) {
          const std::size_t end = std::min(routes.find(" + ", begin), routes.size());
          taken.insert(operation(routes.substr(begin, end - begin)));
          begin = end + 3;
        }
      taken.erase("none");
      for (const std::string& route : taken) ++planned[{route, row.capability}][gates];
    }
  }
  return planned;
}

}  // namespace

void CellTable::add_plans() {
  static const Planned all = planned_everywhere();
  for (const auto& [key, planned] : all) {
    EvidenceCell& cell = at(key.first, key.second);
    cell.planned = planned;
    if (!planned.empty()) cell.level = std::max(cell.level, Level::planned);
  }
}

std::vector<EvidenceCell> CellTable::cells() const {
  std::vector<EvidenceCell> cells;
  for (const auto& [key, cell] : cells_) cells.push_back(cell);
  return cells;
}

std::vector<EvidenceCell> cells_of(const Evidence& evidence) {
  CellTable table;
  table.add_plans();
  for (const EvidenceCheck& check : evidence.checks) table.add(check);
  if (evidence.figures_commit == evidence.tool.commit)
    for (const EvidenceFigure& figure : evidence.figures) table.add(figure, evidence.capability());
  return table.cells();
}

}  // namespace plumbline
