#include "oracle/evidence/cells.h"

#include "fixtures/cases/case_spec.h"
#include "fixtures/error.h"
#include "gpu/dispatch/route.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

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

std::string path_of_route(const std::string& route) {
  try {
    return std::string(name_of(dispatch::operation_of(dispatch::parse_route(route))));
  } catch (const std::invalid_argument&) {
    return route;
  }
}

std::vector<std::string> paths_of(const EvidenceCheck& check) {
  const std::vector<std::string> parts = split(check.name, '/');
  if (parts.front() == "plugin" && parts.size() > 1) return {"plugin." + parts[1]};
  if (check.capability == "cpu") return {"cpu." + parts.front()};
  std::set<std::string> paths;
  for (const EvidenceHit& hit : check.hits) paths.insert(path_of_route(hit.route));
  if (parts.size() < 2) return {paths.begin(), paths.end()};
  if (parts[1] == "attention") {
    // "attention.splitk@8" names its route, "attention.planned" leaves it to the batch: then the hits say.
    const std::string way = parts.back().substr(0, parts.back().find('@'));
    if (way != "attention.planned" || paths.empty()) paths.insert(path_of_route(way));
  } else {
    for (const std::string& route : split(parts[1], '+')) paths.insert(path_of_route(route));
  }
  return {paths.begin(), paths.end()};
}

std::string EvidenceFigure::name() const {
  const std::string what = fmt::format("{}{}{}", arm, arm.empty() ? "" : " ", stage);
  return blocks == 0 ? what : fmt::format("{} at {} blocks", what, blocks);
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
    EvidenceCell& cell = at(path_of_route(hit.route), check.capability);
    cell.tags += hit.tags;
    cell.records += hit.records;
  }
}

void CellTable::add(const EvidenceFigure& figure, const std::string& capability) {
  for (const std::string& route : split(figure.route, '+')) {
    const auto found = cells_.find({path_of_route(route), capability});
    // A time of what nobody judged is no measurement of a right answer.
    if (found == cells_.end() || found->second.passed == 0) continue;
    found->second.level = Level::measured;
    insert_sorted(found->second.figures, figure.name());
  }
}

std::vector<EvidenceCell> CellTable::cells() const {
  std::vector<EvidenceCell> cells;
  for (const auto& [key, cell] : cells_) cells.push_back(cell);
  return cells;
}

}  // namespace plumbline
