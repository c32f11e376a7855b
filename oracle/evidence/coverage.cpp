#include "oracle/evidence/coverage.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace plumbline {
namespace {

// "cpu" first, then 7.0 before 10.0.
std::pair<double, std::string> rank(const std::string& capability) {
  return {capability == "cpu" ? 0 : std::strtod(capability.c_str(), nullptr), capability};
}

}  // namespace

CoverageMatrix matrix_of(const std::vector<EvidenceCell>& cells) {
  CoverageMatrix matrix;
  std::map<std::string, std::map<std::string, const EvidenceCell*>> rows;
  std::set<std::pair<double, std::string>> columns;
  std::set<std::string> shown;
  for (const EvidenceCell& cell : cells) {
    rows[cell.path][cell.capability] = &cell;
    columns.insert(rank(cell.capability));
    if (cell.level > Level::source || cell.checks > 0) shown.insert(cell.path);
  }
  for (const auto& [number, capability] : columns) matrix.capabilities.push_back(capability);
  for (const std::string& path : shown) {
    CoverageMatrix::Row& row = matrix.rows.emplace_back();
    row.path = path;
    for (const std::string& capability : matrix.capabilities) {
      const auto at = rows[path].find(capability);
      row.cells.push_back(at == rows[path].end() ? nullptr : at->second);
    }
  }
  return matrix;
}

std::string cell_text(const EvidenceCell* cell) {
  if (cell == nullptr) return "-";
  if (cell->passed < cell->checks)
    return fmt::format("{} {}/{}", name_of(cell->level), cell->passed, cell->checks);
  return std::string(name_of(cell->level));
}

}  // namespace plumbline
