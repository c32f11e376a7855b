#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fixtures/subject.h"
#include "oracle/judge/contract.h"
#include "oracle/judge/error_model.h"
#include "oracle/judge/tie_census.h"
#include "oracle/judge/verdict.h"
#include "oracle/status.h"

namespace plumbline {

/// Both judgements of one recorded or computed selection (issue: "select" JSON, one entry of "selections").
struct SelectionReport {
  std::string case_name;   ///< "select/0000" or the case string
  std::string tag;         ///< of blocks_<tag>
  std::string scores_tag;  ///< the scores_<tag> of the selector judgement; empty where there is none
  std::int64_t rows = 0;
  Contract contract = Contract::within_error;
  std::string error_model;
  std::optional<VerdictCounts> selector, end_to_end;
  std::int64_t rows_without_exact_score = 0;  ///< rows whose query or keys are not finite
  TieCensus census;
  std::vector<Witness> witnesses;  ///< at most max_witnesses, worst verdicts first, then by row
  std::int64_t witnesses_left_out = 0;
  Status status = Status::pass;
  std::string reason;  ///< why the status is not PASS, one line
};

/// What is judged. Row access is by callback so that planes can be streamed.
struct SelectionClaim {
  const SelectInputs* inputs = nullptr;  ///< query and key where known; `scores` is not read from here
  std::span<const std::uint8_t> key_valid;  ///< see CertifiedSelector
  /// Claimed blocks of rows [first, first + count): count · block_topk entries.
  std::function<void(std::int64_t first, std::int64_t count, std::span<std::int32_t> out)> claimed;
  /// Scores the subject selected on, count · blocks entries; empty function where there are none.
  std::function<void(std::int64_t first, std::int64_t count, std::span<float> out)> scores;
};

struct JudgeOptions {
  Contract contract = Contract::within_error;
  const ErrorModel* error_model = nullptr;  ///< null: float32_any_order
  std::int64_t max_witnesses = 16;
  int threads = 0;
};

/// Judges every row. Status: FAIL when a verdict breaks the contract, VACUOUS when no row selects (or there are
/// no rows), else PASS.
SelectionReport judge_selection(const SelectionClaim& claim, const JudgeOptions& options);

}  // namespace plumbline
