#pragma once

#include <cstdint>

// The raw keys of a request's open group wait in a ring: place p in slot p mod rows. A step reads there what
// its group lacks, before it writes its own keys.

namespace plumbline::gpu {

/// Rows of a ring under steps that may be rolled back by up to `speculative` tokens: whole groups, so that no
/// draft overwrites a key the accepted group still needs (CASES.md C2).
constexpr std::int32_t ring_rows_for(std::int32_t ratio, std::int32_t speculative) {
  return (ratio + speculative + ratio - 1) / ratio * ratio;
}

/// Whether a request that wrote `written` tokens can go on from `accepted` <= written of them: the open group
/// is empty there, or the ring still holds all its keys. Going on means that the next step's places start
/// there; keys of later places count for nothing and are overwritten.
constexpr bool ring_reaches_back(std::int32_t rows, std::int32_t ratio, std::int64_t written,
                                 std::int64_t accepted) {
  const std::int64_t group = accepted / ratio * ratio;
  return accepted == group || written - group <= rows;
}

}  // namespace plumbline::gpu
