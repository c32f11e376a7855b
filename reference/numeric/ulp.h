#pragma once

#include "fixtures/dtype.h"

#include <cstdint>

namespace plumbline {

/// Number of representable values of `type` between two of its bit patterns: 0 for equal bits and for -0 and
/// +0; across zero the distances to zero add up; infinity is one step above the largest finite value.
/// Any NaN against a non-NaN is kUlpNaN; two NaN are 0 apart only when their bits are equal, else kUlpNaN.
constexpr std::int64_t kUlpNaN = INT64_MAX;
std::int64_t ulp_distance(DType type, std::uint32_t a_bits, std::uint32_t b_bits);

/// Spacing of `type` at |value|: the gap to the next representable magnitude above (of the largest finite
/// value, and beyond it: the gap below). For 0 the smallest subnormal; NaN for NaN.
double ulp_of(DType type, double value);

/// Unit roundoff of `type`: 2^-24, 2^-11, 2^-8, 2^-4 (e4m3), 2^-3 (e5m2).
double unit_roundoff(DType type);

}  // namespace plumbline
