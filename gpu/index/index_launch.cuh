#pragma once

#include "gpu/index/index_vector.cuh"
#include "gpu/runtime/check.h"

#include <cstdint>
#include <string>

namespace plumbline::gpu {

inline constexpr int kIndexThreads = 256, kIndexWarps = kIndexThreads / 32;

inline void require_served(const IndexerParameters& p) {
  const auto refuse = [](const std::string& what) { throw Unsupported("the index kernels serve " + what); };
  if (p.dim < 1 || p.dim > IndexerParameters::kMostDim)
    refuse("index head dims of 1 to 512, found " + std::to_string(p.dim));
  if (p.ratio < 1 || p.ratio > IndexerParameters::kMostRatio)
    refuse("ratios of 1 to 16, found " + std::to_string(p.ratio));
  if (p.rotary_dim < 0 || p.rotary_dim > p.dim || p.rotary_dim % 2 != 0)
    refuse("even rotary widths up to the head dim, found " + std::to_string(p.rotary_dim));
}

/// Calls `work` with the storage tag, the chunks of 128 that hold a vector, and whether vectors and angles
/// can be moved four elements at a time.
template <typename Work>
void with_index_shape(const IndexerParameters& p, bool aligned, const Work& work) {
  const bool whole = aligned && p.dim % 4 == 0 && p.rotary_dim % 8 == 0;
  with_storage(p.type, [&](auto tag) {
    const auto with_chunks = [&](auto is_whole) {
      if (p.dim <= 128) return work(tag, std::integral_constant<int, 1>{}, is_whole);
      if (p.dim <= 256) return work(tag, std::integral_constant<int, 2>{}, is_whole);
      return work(tag, std::integral_constant<int, 4>{}, is_whole);
    };
    whole ? with_chunks(std::true_type{}) : with_chunks(std::false_type{});
  });
}

inline bool moves_by_four(const IndexerParameters& p, const void* base, std::int64_t stride) {
  const std::uintptr_t four = p.type == IndexType::kFloat32 ? 16 : 8;
  return reinterpret_cast<std::uintptr_t>(base) % four == 0 && stride % 4 == 0;
}

inline unsigned blocks_for_warps(std::int64_t warps) {
  return static_cast<unsigned>((warps + kIndexWarps - 1) / kIndexWarps);
}

}  // namespace plumbline::gpu
