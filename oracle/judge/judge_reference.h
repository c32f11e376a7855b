#pragma once

#include "fixtures/subject.h"
#include "oracle/status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// Outcome of proving a selection canonical, row by row, without sorting and without the arithmetic that made
/// it.
struct ProofReport {
  std::int64_t rows = 0;
  std::int64_t rows_selecting = 0;            ///< visible > k
  std::int64_t rows_proven = 0;               ///< byte for byte the canonical row
  std::int64_t rows_without_exact_score = 0;  ///< query or a visible key not finite
  std::int64_t rows_unproven = 0;             ///< of those, selecting rows without given or returned scores
  std::int64_t resolved_exactly = 0;          ///< scores that needed expansions (statistics, not a result)
  struct Fault {
    std::int64_t row = 0;
    std::string what;
  };
  std::vector<Fault> faults;  ///< the first 16 by row
  std::int64_t faults_left_out = 0;
  Status status = Status::pass;
  std::string reason;  ///< why the status is not PASS, one line
};

/// Proves that `outputs.blocks` is the canonical selection (prove_canonical, ascending, -1 padded). Rows are
/// ranked on inputs.scores where given, by an ordering of their bits independent of score_key; else on exact
/// scores computed by floating-point expansions behind a filter of double intervals; a row without exact
/// score on outputs.scores, where the subject returned them. Status: FAIL for any fault, VACUOUS when no row
/// selects or no selecting row could be proven, else PASS. The result does not depend on `threads` (0:
/// OMP_NUM_THREADS).
ProofReport judge_reference(const SelectInputs& inputs, const SelectOutputs& outputs, int threads = 0);

}  // namespace plumbline
