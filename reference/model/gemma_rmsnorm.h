#pragma once

#include "reference/model/bounded.h"
#include "reference/model/engine_arithmetic.h"

#include <span>

namespace plumbline {

/// "Gemma" RMSNorm of one vector (MODEL.md §2, Norms): x · 1/√(mean(x²) + ε) · (1 + w), with one rounding to
/// storage at the end where the profile stores norms. ε enters as the engine's float32. All spans have one
/// length; `out` may be `x`.
template <typename Number>
void gemma_rmsnorm(std::span<const Number> x, std::span<const double> weight, double epsilon,
                   const BasicEngineArithmetic<Number>& arithmetic, std::span<Number> out);

}  // namespace plumbline
