#pragma once

#include "fixtures/subject.h"
#include "reference/numeric/exact_score.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline {

/// Exact ReLU-sum scores of one selection, ordered by double intervals and, where those meet, by
/// floating-point expansions. Shares no arithmetic with CertifiedSelector.
class IntervalScores {
 public:
  /// `inputs` with query and key; must outlive this.
  explicit IntervalScores(const SelectInputs& inputs);

  /// Whether the row's query and its visible keys are finite.
  bool has_exact_scores(std::int64_t row) const;

  /// The scores of one row. Not thread-safe; make one per row.
  class Row {
   public:
    Row(const IntervalScores& scores, std::int64_t row);
    /// Order of two blocks' exact scores: negative, 0 or positive.
    int compare(std::int64_t a, std::int64_t b);
    /// Scores that needed expansions so far.
    std::int64_t resolved_exactly() const { return resolved_exactly_; }

   private:
    struct Interval {
      double low = 0, high = 0;
    };
    const Interval& interval(std::int64_t block);
    const ExactScore& exact(std::int64_t block);

    const IntervalScores& scores_;
    std::int64_t row_;
    double query_norm_ = 0;                           ///< the largest Σ_d |q| of a head
    int query_unit_ = 0;                              ///< every element is a multiple of 2^query_unit_
    std::vector<std::optional<Interval>> intervals_;  ///< per key class
    std::vector<std::optional<ExactScore>> exact_;    ///< per key class
    std::int64_t resolved_exactly_ = 0;
  };

 private:
  const SelectInputs& inputs_;
  std::int64_t heads_, dim_;
  std::vector<double> queries_, keys_;   ///< decoded, [rows, heads, dim] and [blocks, dim]
  std::vector<double> largest_key_;      ///< per block: max |k|
  std::vector<int> key_unit_;            ///< per block: every element is a multiple of 2^key_unit_
  std::vector<std::int64_t> key_class_;  ///< per block: the first block with the same values
  std::vector<bool> query_finite_;
  std::int64_t finite_keys_ = 0;  ///< keys before the first that is not finite
};

}  // namespace plumbline
