#include "gpu/dispatch/snapshot.h"
#include "gpu/dispatch/snapshot_cases.h"
#include "oracle/evidence/cells.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace plumbline {

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
          taken.insert(path_of_route(routes.substr(begin, end - begin)));
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

std::vector<EvidenceCell> cells_of(const Evidence& evidence) {
  CellTable table;
  table.add_plans();
  for (const EvidenceCheck& check : evidence.checks) table.add(check);
  if (evidence.figures_commit == evidence.tool.commit)
    for (const EvidenceFigure& figure : evidence.figures) table.add(figure, evidence.capability());
  return table.cells();
}

}  // namespace plumbline
