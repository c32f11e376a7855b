#pragma once

#include "fixtures/subject.h"

#include <cstdint>
#include <span>

namespace plumbline::selftest {

/// What many tests call equal: |a − b| <= 1e-4 + 1e-4·|b|, NaN and infinities alike (TOPK.md §2, T23).
bool close(double a, double b);

/// Whether the scores of the claimed blocks, sorted, are close to those of the best k, sorted. Blocks that
/// cannot be looked up make it false.
bool sorted_scores_close(std::span<const float> scores, std::int64_t visible, std::int32_t k,
                         std::span<const std::int32_t> claimed);

}  // namespace plumbline::selftest
