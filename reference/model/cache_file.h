#pragma once

#include "reference/model/qwen4_exp.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

/// One named part of a saved cache, "layers.3.attention.keys".
struct CacheSection {
  std::string name;
  std::span<const std::byte> bytes;  ///< its shape and elements, little-endian
};

/// Every state of a sequence as bytes, in a fixed order: caches whose states agree bit by bit save as the
/// same bytes. What only serves to take tokens back is left out, so that a restored cache gives the same
/// outputs but may have to run tokens again to roll back.
std::vector<std::byte> save_cache(const ModelCache& cache);

/// A cache for `model` from save_cache()'s bytes. Throws InputError "CACHE: section: expected …, found …" for
/// bytes that are not whole, a section that is missing, surplus or of another shape than the model's.
ModelCache restore_cache(const Qwen4Exp& model, std::span<const std::byte> bytes);

/// The sections of saved bytes, in order; the same errors.
std::vector<CacheSection> cache_sections(std::span<const std::byte> bytes);

}  // namespace plumbline
