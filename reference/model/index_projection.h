#pragma once

#include "fixtures/tensor.h"
#include "reference/model/bounded.h"
#include "reference/model/engine_arithmetic.h"

namespace plumbline {

/// index_qk_proj: hidden [tokens, hidden] · weightᵀ, weight [(heads + 1)·dim, hidden], into [tokens, (heads +
/// 1)·dim] in storage; float32 products, added in any order. Throws InputError when the shapes do not fit.
BoundedTensor index_projection(const TensorView& hidden, const TensorView& weight,
                               const EngineArithmetic& arithmetic);

/// The two halves of a projection [tokens, (heads + 1)·dim], as views: the query part [tokens, heads, dim]
/// and the raw key part [tokens, dim]. Throws InputError when the width does not fit.
TensorView query_part(const TensorView& projected, std::int64_t heads, std::int64_t dim);
TensorView raw_key_part(const TensorView& projected, std::int64_t heads, std::int64_t dim);

}  // namespace plumbline
