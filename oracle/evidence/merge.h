#pragma once

#include "oracle/evidence/evidence.h"

#include <string>
#include <vector>

namespace plumbline {

/// A run and the folder it was read from.
struct NamedEvidence {
  std::string name;
  Evidence evidence;
};

/// The cells of several runs: of each the highest level, the sum of what was checked, all captures, seeds and
/// figures; in the order of path and capability. Parts of a run give the cells of the whole.
std::vector<EvidenceCell> merge_cells(const std::vector<NamedEvidence>& runs);

/// What two runs answered to the same question of a check.
struct Difference {
  std::string check, what;    ///< "selection", "scores", "inputs"
  std::string first, second;  ///< folder, and the machine
  std::string detail;  ///< "up to 2 ULP in 16 sampled scores; tensor_core:9.0 and tensor_core:7.5; order 1f…
                       ///< and 9c…; nvjet… and volta…"
  /// Nothing that differs between the machines accounts for it.
  bool contradiction = false;
};
std::vector<Difference> differences_of(const std::vector<NamedEvidence>& runs);

}  // namespace plumbline
