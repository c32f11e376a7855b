#pragma once

#include "oracle/judge/claimed_row.h"
#include "oracle/judge/error_model.h"
#include "oracle/judge/verdict.h"
#include "reference/select/certified_select.h"

#include <cstdint>
#include <span>
#include <string>

namespace plumbline {

/// Verdict of one row and the pair that shows it (-1 where none is needed).
struct RowVerdict {
  Verdict verdict = Verdict::canonical;
  std::int64_t claimed_block = -1;  ///< claimed and not canonical; of a structural row the bad entry
  std::int64_t missed_block = -1;   ///< canonical and not claimed
  std::string fault;                ///< of a structural row
};

/// What can be said without scores: structural, or the order of a sound row (canonical stands for ascending).
RowVerdict verdict_of_structure(const ClaimedRow& claimed);

/// On recorded scores, ranked by score_key. `scores` holds at least `visible` entries; `k` = block_topk.
RowVerdict verdict_by_key(const ClaimedRow& claimed, std::span<const float> scores, std::int64_t visible,
                          std::int32_t k);

/// Where the exact scores of one row come from.
struct ExactRow {
  const CertifiedSelector* selector = nullptr;
  const SelectInputs* inputs = nullptr;  ///< with query and key
  const ErrorModel* error_model = nullptr;
  std::int64_t row = 0;  ///< of `inputs`

  ExactScore score(std::int64_t block) const { return selector->score(row, block); }
  double error_bound(std::int64_t block) const;
};

/// On exact scores. The witness pair of `rounding` and `value_error` is the one that comes closest to, or
/// exceeds most, what the two error bounds allow.
RowVerdict verdict_by_exact_score(const ClaimedRow& claimed, const CertifiedRow& canonical,
                                  const ExactRow& exact);

}  // namespace plumbline
