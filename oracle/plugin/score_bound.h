#pragma once

#include "fixtures/subject.h"
#include "oracle/judge/error_model.h"

#include <cstdint>
#include <string>

namespace plumbline {

/// A scorer's plane against exact scores.
struct ScoreBoundReport {
  std::int64_t rows = 0;     ///< with exact scores
  std::int64_t scores = 0;   ///< compared
  std::int64_t beyond = 0;   ///< further off than allowed, or no number
  double largest_share = 0;  ///< of what is allowed, the largest used
  std::string worst;         ///< where `beyond` is not 0: one line on the worst
  std::int64_t worst_row = -1, worst_block = -1;
};

/// Compares `scores` [rows, blocks] with exact ones, as far as each row sees. A score may be off by the
/// model's bound E / sqrt(dim), and by one rounding: |s - exact / sqrt(dim)| <= E / sqrt(dim) + 2^-24 |s| +
/// 2^-149. Rows without exact scores are left out.
ScoreBoundReport judge_scores(const SelectInputs& inputs, const Tensor& scores, const ErrorModel& model,
                              int threads);

/// Float32 scores to select on: sums in double, in ascending order, rounded once; ReLU(NaN) is NaN; NaN
/// beyond what a row sees.
Tensor plain_scores(const SelectInputs& inputs);

}  // namespace plumbline
