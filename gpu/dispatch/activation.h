#pragma once

#include "gpu/dispatch/capability.h"
#include "gpu/dispatch/tensor_shape.h"

#include <optional>
#include <string>
#include <vector>

namespace plumbline::dispatch {

/// What an engine knows when it decides whether the sparse family (its policy, its metadata) is in use.
struct EngineTraits {
  bool has_indexed_sparse_metadata = true;
  std::optional<Capability> capability;  ///< nothing without CUDA
  ElementType query_type = ElementType::float16;
};

/// Why the family is inactive, in check order; empty means active: "no_indexed_sparse_metadata",
/// "capability" (needs CUDA 7.x), "query_dtype" (needs float16).
std::vector<std::string> inactive_reasons(const EngineTraits& engine);

}  // namespace plumbline::dispatch
