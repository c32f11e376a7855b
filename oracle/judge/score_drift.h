#pragma once

#include "fixtures/subject.h"
#include "oracle/judge/error_model.h"

#include <cstdint>
#include <span>

namespace plumbline {

/// How two float32 score planes of the same rows differ.
struct ScoreDrift {
  std::int64_t changed = 0;  ///< of other bits
  std::int64_t beyond = 0;   ///< further apart than allowed, or either is no number
  double largest_share = 0;  ///< of what is allowed, the largest used
};

/// The first `visible` scores of one row of `inputs` (with query and key), scored twice. Each lies within the
/// model's bound E of the exact head sum, divided by sqrt(dim) and rounded once, so two of them differ by at
/// most 2·E / sqrt(dim) + 2^-24·(|a| + |b|) + 2^-149.
ScoreDrift score_drift(const SelectInputs& inputs, std::int64_t row, std::span<const float> a,
                       std::span<const float> b, std::int64_t visible, const ErrorModel& model);

}  // namespace plumbline
