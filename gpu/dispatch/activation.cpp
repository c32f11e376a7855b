#include "gpu/dispatch/activation.h"

namespace plumbline::dispatch {

std::vector<std::string> inactive_reasons(const EngineTraits& engine) {
  std::vector<std::string> reasons;
  if (!engine.has_indexed_sparse_metadata) reasons.emplace_back("no_indexed_sparse_metadata");
  if (!engine.capability || !engine.capability->in_family(70)) reasons.emplace_back("capability");
  if (engine.query_type != ElementType::float16) reasons.emplace_back("query_dtype");
  return reasons;
}

}  // namespace plumbline::dispatch
