#pragma once

#include "reference/model/rounding_profile.h"

#include <cstdint>

namespace plumbline {

/// The constant an engine scales scores with, a float32 number: 1, fl(√d) or fl(1/fl(√d)).
float scale_constant(ScoreScale scale, std::int64_t index_head_dim);

/// The scaled score, in double: what the engine's own is compared with.
double scaled_score(double score, ScoreScale scale, std::int64_t index_head_dim);
/// The scaled score of an engine that knows the score to float32: one more float32 rounding.
float scaled_score(float score, ScoreScale scale, std::int64_t index_head_dim);

}  // namespace plumbline
