#pragma once

#include "reference/model/engine_arithmetic.h"

#include <span>

namespace plumbline {

/// e^(x − max x) / Σ e^(x − max x), in place and in float32 steps; nothing is stored. `x` is not empty.
template <typename Number>
void softmax(std::span<Number> x, const BasicEngineArithmetic<Number>& arithmetic);

}  // namespace plumbline
