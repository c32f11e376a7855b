#pragma once

#include "fixtures/tensor.h"
#include "reference/numeric/exact_score.h"

namespace plumbline {

/// Σ_h max(0, Σ_d q[h,d]·k[d]), exact (MODEL.md §2, without the positive factor 1/sqrt(dim), which changes no
/// ranking of exact values). `query` is [heads, dim], `key` [dim], floating, all finite.
ExactScore exact_relu_sum(const TensorView& query, const TensorView& key);

/// The same by floating-point expansions (Shewchuk 1997: every partial sum is a non-overlapping sum of
/// doubles), sharing no arithmetic with exact_relu_sum: the second opinion of the proof.
ExactScore exact_relu_sum_by_expansion(const TensorView& query, const TensorView& key);

/// Σ_h Σ_d |q[h,d]·k[d]| rounded up: the condition of the score, for error bounds. Never below the exact sum,
/// and above it by less than a factor 1 + 2^-40.
double magnitude_sum(const TensorView& query, const TensorView& key);

/// True when every element is finite.
bool all_finite(const TensorView& values);

}  // namespace plumbline
