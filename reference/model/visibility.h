#pragma once

#include <cstdint>

namespace plumbline {

/// Complete, causal blocks a query may select among: min((position + 1) div ratio, length div ratio), never
/// below 0 (ROUTES.md §1; a padded row's negative position gives 0).
constexpr std::int64_t visible_blocks(std::int64_t position, std::int64_t sequence_length,
                                      std::int32_t ratio) {
  const std::int64_t tokens = position < sequence_length ? position + 1 : sequence_length;
  return tokens <= 0 ? 0 : tokens / ratio;
}

}  // namespace plumbline
