#pragma once

#include "oracle/evidence/merge.h"
#include "oracle/evidence/policy.h"

#include <string>
#include <vector>

namespace plumbline {

struct GateOptions {
  std::string commit;  ///< the evidence must be of, at least its first 7 digits
  std::string today;   ///< YYYY-MM-DD
};

struct GateProblem {
  enum class Kind : std::uint8_t { stale, failed, missing, contradiction, slower, nothing };
  Kind kind = Kind::failed;
  std::string what;  ///< one line
  std::string next;  ///< what to do about it
};
std::string_view name_of(GateProblem::Kind kind);

/// The verdict on several runs together.
struct GateVerdict {
  std::vector<std::string> runs;  ///< one line each: folder, machine, counts
  StatusCounts counts;            ///< of the runs that count
  std::vector<EvidenceCell> cells;
  std::vector<GateProblem> problems;
  std::vector<Difference> differences;
  std::vector<std::string> known;   ///< failures that the policy still allows
  std::vector<std::string> ratios;  ///< as judged, one line each

  /// 0: passed. 3: nothing was executed. 1: anything else.
  int exit_code() const;
};

/// Stale runs (another commit, or one nobody can name) are problems and count for nothing else.
GateVerdict judge_gate(const std::vector<NamedEvidence>& runs, const std::vector<NamedEvidence>& baseline,
                       const Policy& policy, const GateOptions& options);

/// "gate: passed: 2 runs, …".
std::string verdict_line(const GateVerdict& verdict);

/// The matrix of paths and capabilities, what is wrong and what to do next; the verdict is the last line.
std::string gate_text(const GateVerdict& verdict);
Json gate_json(const GateVerdict& verdict);

}  // namespace plumbline
