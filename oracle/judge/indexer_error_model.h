#pragma once

#include <memory>

#include "oracle/judge/error_model.h"
#include "reference/model/bounded.h"

namespace plumbline {

/// float32_any_order on the engine's own query and key, plus what those may differ from ours:
/// Σ_h Σ_d |q|·e_k + |k|·e_q + e_q·e_k (ReLU and the head sum pass an error on at most unchanged).
/// `queries` [rows, heads, dim] and `keys` [blocks, dim] must outlive the model; the views given to bound()
/// must lie in their tensors.
std::unique_ptr<ErrorModel> float32_any_order_and_inputs(const BoundedTensor& queries,
                                                         const BoundedTensor& keys);

}  // namespace plumbline
