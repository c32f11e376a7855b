#pragma once

#include "oracle/evidence/evidence.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// A variant counts as its operation, which is what plans, tags and records name; any other text is its own.
std::string path_of_route(const std::string& route);

/// The paths a check speaks of: of a device's the routes its name forces and those it hit, else "cpu.KIND".
std::vector<std::string> paths_of(const EvidenceCheck& check);

/// Cells as checks, figures and plans fill them, in the order of path and capability. Checks first: a figure
/// counts only where answers were judged.
class CellTable {
 public:
  void add(const EvidenceCheck& check);
  void add(const EvidenceFigure& figure, const std::string& capability);
  /// What every gate set of this build's dispatch plans on every capability of the matrix.
  void add_plans();
  std::vector<EvidenceCell> cells() const;

 private:
  EvidenceCell& at(const std::string& path, const std::string& capability);
  std::map<std::pair<std::string, std::string>, EvidenceCell> cells_;
};

}  // namespace plumbline
