#pragma once

#include "gpu/attention/sparse_attention.h"
#include "gpu/runtime/check.h"

#include <string>

namespace plumbline::gpu {

/// Calls work.operator()<type, dim, float8>() for a request's own; throws Unsupported for another dim.
template <KeyType kType, bool kFloat8, typename Work>
void for_dim(std::int32_t dim, const Work& work) {
  switch (dim) {
    case 64:
      return work.template operator()<kType, 64, kFloat8>();
    case 128:
      return work.template operator()<kType, 128, kFloat8>();
    case 256:
      return work.template operator()<kType, 256, kFloat8>();
    default:
      throw Unsupported("attention: head dims of 64, 128 and 256 have kernels, not " + std::to_string(dim));
  }
}

template <typename Work>
void for_kind(const AttentionRequest& r, const Work& work) {
  if (r.type == KeyType::kFloat16) {
    r.float8 ? for_dim<KeyType::kFloat16, true>(r.dim, work) : for_dim<KeyType::kFloat16, false>(r.dim, work);
  } else {
    r.float8 ? for_dim<KeyType::kBfloat16, true>(r.dim, work)
             : for_dim<KeyType::kBfloat16, false>(r.dim, work);
  }
}

}  // namespace plumbline::gpu
