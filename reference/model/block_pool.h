#pragma once

#include "fixtures/tensor.h"
#include "reference/model/bounded.h"
#include "reference/model/engine_arithmetic.h"

#include <cstdint>
#include <span>

namespace plumbline {

/// The pooled key of one block (MODEL.md §2, QSA indexer): the float32 mean over `raw` [ratio, dim] per
/// dimension, rounded to storage where the profile stores pooled keys. `out` has dim elements.
void block_pool(const TensorView& raw, const EngineArithmetic& arithmetic, std::span<Bounded> out);

}  // namespace plumbline
