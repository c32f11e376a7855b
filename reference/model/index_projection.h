#pragma once

#include "fixtures/tensor.h"

namespace plumbline {

/// The two halves of index_qk_proj's output [tokens, (heads + 1)·dim], as views: the query part [tokens,
/// heads, dim] and the raw key part [tokens, dim]. Throws InputError when the width does not fit.
TensorView query_part(const TensorView& projected, std::int64_t heads, std::int64_t dim);
TensorView raw_key_part(const TensorView& projected, std::int64_t heads, std::int64_t dim);

}  // namespace plumbline
