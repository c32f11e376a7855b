#pragma once

#include "oracle/judge/row_verdict.h"
#include "oracle/judge/score_kind.h"
#include "oracle/judge/verdict.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// Verdicts that carry a witness: another set than the canonical one, or no set at all.
inline bool needs_witness(Verdict verdict) { return verdict >= Verdict::tie_only; }

/// Evidence for a row judged on recorded scores ("selector"); scores are printed as exact hexadecimal.
Witness selector_witness(std::int64_t row, const RowVerdict& verdict, std::span<const float> scores);
/// Evidence for a row judged on exact scores ("end_to_end").
Witness exact_witness(std::int64_t row, const RowVerdict& verdict, const ExactRow& exact);
/// Evidence for a row that has no exact score: the recorded score of `block` is not of the kind its query and
/// key make it.
Witness score_kind_witness(std::int64_t row, std::int64_t block, float score, ScoreKind kind);
/// Evidence for a structural row.
Witness structural_witness(std::int64_t row, const RowVerdict& verdict, const char* judgement);

/// Keeps the first `limit` witnesses, worst verdict first, then by row. Rows arrive in any order.
class WitnessList {
 public:
  explicit WitnessList(std::int64_t limit) : limit_(limit) {}
  /// Whether a witness of this verdict and row would be kept: ask before building it.
  bool wants(Verdict verdict, std::int64_t row) const;
  void add(Witness witness);
  const std::vector<Witness>& list() const { return witnesses_; }

 private:
  std::int64_t limit_;
  std::vector<Witness> witnesses_;
};

/// Order of witnesses in a report.
bool comes_first(Verdict verdict, std::int64_t row, const Witness& other);

}  // namespace plumbline
