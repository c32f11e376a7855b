#pragma once

#include "oracle/judge/judge_selection.h"
#include "oracle/judge/tie_census_builder.h"
#include "oracle/judge/witness.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline {

/// What a row could have got wrong in one judgement.
enum class RowChoice : std::uint8_t {
  forced,  ///< it sees no more blocks than it selects
  free,    ///< all its blocks tie there: any of their sets is a top-k set
  ranked,
};

/// Verdicts of all rows of one selection on their way to a report. Each row may get a verdict of either
/// judgement or, where it has neither, the finding that its structure is broken.
class SelectionTally {
 public:
  SelectionTally(std::int64_t rows, const JudgeOptions& options);

  void selector(std::int64_t row, Verdict verdict, RowChoice choice);
  void end_to_end(std::int64_t row, Verdict verdict, RowChoice choice);
  /// A row that has no exact score. `verdict` is structural, or canonical where its structure is sound.
  void without_exact_score(std::int64_t row, Verdict verdict);
  /// Of a row nothing was recorded to judge on.
  void structure_only(std::int64_t row, Verdict verdict);

  TieCensusBuilder& census() { return census_; }
  WitnessList& selector_witnesses() { return selector_witnesses_; }
  WitnessList& exact_witnesses() { return exact_witnesses_; }

  /// Counts, census, witnesses, status and reason.
  SelectionReport finish() const;

 private:
  static constexpr std::uint8_t kNone = 0xFF;
  struct Judged {
    std::uint8_t verdict = kNone;  ///< kNone: the row has none
    RowChoice choice = RowChoice::forced;
  };
  static std::optional<VerdictCounts> count(const std::vector<Judged>& rows);
  /// What the contract is checked on.
  Judged binding(std::size_t row) const;
  void decide_status(SelectionReport& report) const;
  void merge_witnesses(SelectionReport& report) const;

  Contract contract_;
  std::int64_t max_witnesses_;
  std::vector<Judged> selector_, end_to_end_;
  std::vector<bool> broken_;  ///< structural, though no judgement counts it
  std::int64_t without_exact_ = 0;
  TieCensusBuilder census_;
  WitnessList selector_witnesses_, exact_witnesses_;
};

}  // namespace plumbline
