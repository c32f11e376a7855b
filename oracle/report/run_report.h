#pragma once

#include "oracle/judge/judge_indexer.h"
#include "oracle/judge/judge_reference.h"
#include "oracle/judge/judge_selection.h"
#include "oracle/judge/judge_tokens.h"
#include "oracle/replay/replay_report.h"
#include "oracle/report/machine.h"
#include "oracle/status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

/// Where a check's inputs come from.
enum class CheckKind : std::uint8_t {
  golden,     ///< a capture of the golden folder
  generated,  ///< a case of a data family
  device,     ///< a subject that needs a device
};
std::string_view name_of(CheckKind kind);

/// One entry of the reports' "selections".
struct JudgedSelection : SelectionReport {
  JudgedSelection() = default;
  explicit JudgedSelection(SelectionReport report) : SelectionReport(std::move(report)) {}
  std::optional<TokenFaults> token_faults;  ///< of a kind C selection's tokens
  std::int64_t padded_rows = 0;             ///< of a kind C selection
};

/// One check of a run: what was on trial, the judgement and how to repeat it.
struct CheckResult {
  std::string name;  ///< "golden/select_long_fp16", "replay/tiny_fp32", "cuda"; what --filter matches
  CheckKind kind = CheckKind::golden;
  std::string source;   ///< the file, or the case string
  std::string subject;  ///< "recorded", "reference", "cuda"
  Status status = Status::pass;
  bool expect_vacuous = false;  ///< the golden manifest declares that nothing can be tested here
  std::string reason;           ///< why it is not PASS; for a PASS what deserves a remark
  std::vector<JudgedSelection> selections;
  std::optional<ProofReport> proof;      ///< of a generated case
  std::optional<IndexerReport> indexer;  ///< of a model capture
  std::optional<ReplayReport> replay;    ///< of a model capture
  std::string repro;                     ///< command line, then # and what it stands for
  double seconds = 0;
};

/// A whole run of `plumbline verify`.
struct RunReport {
  Machine machine;
  std::vector<CheckResult> checks;

  StatusCounts counts() const;
};

/// "verified: 43 PASS, 1 VACUOUS (declared)", "NOT VERIFIED: …", "NOTHING EXECUTED: …" by the exit code.
std::string verdict_line(const StatusCounts& counts);

}  // namespace plumbline
