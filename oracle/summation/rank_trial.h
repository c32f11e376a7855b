#pragma once

#include "fixtures/capture/model_capture.h"
#include "oracle/summation/rank_outcome.h"
#include "oracle/summation/ranked_projection.h"

#include <vector>

namespace plumbline {

/// A projection on 1, 2, 3, 4 and 8 ranks in every order, which exchange float32 or `storage`; what is
/// selected after it, from the output in `storage`.
std::vector<RankOutcome> try_ranks(const RankedProjection& projection, DType storage);

/// The same of both projections of captured_projections(). Throws InputError.
std::vector<RankOutcome> try_ranks(const ModelCapture& capture);

}  // namespace plumbline
