#pragma once

#include "gpu/dispatch/planned_call.h"

#include <cstdint>
#include <string>

namespace plumbline::dispatch {

/// What decides the launches of the index kernels. Each operation has one route for every capability, so that
/// its plan is its shape alone.
struct IndexShape {
  std::string storage;  ///< "bf16"
  std::int64_t heads = 0, dim = 0, rotary_dim = 0, ratio = 0;
};

// The launches of one call, and a nonce that is the hash of its route and shape.

/// index_qk_proj of `tokens` tokens: a library's product.
PlannedCall planned_projection(const std::string& storage, std::int64_t tokens, std::int64_t hidden,
                               std::int64_t outputs);
/// The rotation table for coordinates below `coordinates`, before any step.
PlannedCall planned_rotation(const IndexShape& shape, std::int64_t coordinates);
/// A step of `rows` rows: its queries, then its keys into cache and ring.
PlannedCall planned_index_step(const IndexShape& shape, std::int64_t rows);

}  // namespace plumbline::dispatch
