#pragma once

#include "reference/model/engine_arithmetic.h"
#include "reference/model/rows.h"
#include "reference/numeric/linear.h"

namespace plumbline {

/// x·Wᵀ, [rows, outputs], as an engine's matrix product gives it: 16- or 32-bit inputs, float32 accumulation
/// in any order, one rounding to storage. The bound is γ_inner·Σ|x·w| (Higham 2002, §3.1) and what the errors
/// of x carry over.
template <typename Number>
Rows<Number> linear_layer(const Rows<Number>& x, const LinearWeight& weight,
                          const BasicEngineArithmetic<Number>& arithmetic);

/// The same without the rounding to storage: what a fused epilogue sees.
template <typename Number>
Rows<Number> linear_layer_unstored(const Rows<Number>& x, const LinearWeight& weight,
                                   const BasicEngineArithmetic<Number>& arithmetic);

}  // namespace plumbline
