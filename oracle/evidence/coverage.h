#pragma once

#include "oracle/evidence/evidence.h"

#include <string>
#include <vector>

namespace plumbline {

/// The matrix of cells: a line per path that is more than source anywhere, a column per capability.
struct CoverageMatrix {
  std::vector<std::string> capabilities;  ///< "cpu", then by number
  struct Row {
    std::string path;
    std::vector<const EvidenceCell*> cells;  ///< one a capability; null where nothing is known
  };
  std::vector<Row> rows;
};
/// Points into `cells`.
CoverageMatrix matrix_of(const std::vector<EvidenceCell>& cells);

/// "executed", "executed 51/53" where checks failed, "-" where nothing is known.
std::string cell_text(const EvidenceCell* cell);

}  // namespace plumbline
