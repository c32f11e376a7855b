#pragma once

#include "reference/model/engine_arithmetic.h"

#include <span>

namespace plumbline {

/// b^(x − max x) in place, for b = e or, with `base2`, b = 2; returns their sum. Float32 steps; nothing is
/// stored. `x` is not empty.
template <typename Number>
Number exponentials(std::span<Number> x, bool base2, const BasicEngineArithmetic<Number>& arithmetic);

/// e^(x − max x) / Σ e^(x − max x), in place and in float32 steps; nothing is stored. `x` is not empty.
template <typename Number>
void softmax(std::span<Number> x, const BasicEngineArithmetic<Number>& arithmetic);

}  // namespace plumbline
