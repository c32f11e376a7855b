#pragma once

#include "fixtures/tensor.h"

namespace plumbline {

/// What float32 arithmetic makes of Σ_h max(0, q_h·k) whatever the order it adds in. max(0, NaN) is NaN.
/// In ascending order: a sum of heads is of the highest kind among them, but NaN wins over everything.
enum class ScoreKind {
  finite,
  infinite,      ///< positive
  undetermined,  ///< finite products may overflow float32 on the way
  not_a_number,
};

/// `query` [heads, dim], `key` [dim]; any of their elements may be infinite or NaN.
ScoreKind score_kind(const TensorView& query, const TensorView& key);

/// Whether a recorded score, on any positive scale, can be one of that kind.
bool is_of_kind(float score, ScoreKind kind);

/// "finite", "infinite", "NaN".
const char* name_of(ScoreKind kind);

}  // namespace plumbline
