#include "reference/model/score_scale.h"

#include <cmath>

namespace plumbline {

float scale_constant(ScoreScale scale, std::int64_t index_head_dim) {
  const auto root = static_cast<float>(std::sqrt(static_cast<double>(index_head_dim)));
  switch (scale) {
    case ScoreScale::divide_by_root:
      return root;
    case ScoreScale::multiply_by_inverse_root:
      return 1.0f / root;
    case ScoreScale::none:
      break;
  }
  return 1;
}

double scaled_score(double score, ScoreScale scale, std::int64_t index_head_dim) {
  const double constant = scale_constant(scale, index_head_dim);
  return scale == ScoreScale::divide_by_root ? score / constant : score * constant;
}

float scaled_score(float score, ScoreScale scale, std::int64_t index_head_dim) {
  const float constant = scale_constant(scale, index_head_dim);
  return scale == ScoreScale::divide_by_root ? score / constant : score * constant;
}

}  // namespace plumbline
