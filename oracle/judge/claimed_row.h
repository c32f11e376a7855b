#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

/// A claimed row reduced to what a verdict needs: either the first structural fault, or a sound set.
struct ClaimedRow {
  std::string fault;                 ///< empty: sound
  std::int64_t bad_entry = -1;       ///< the entry the fault names, -1 where it names none
  std::vector<std::int32_t> blocks;  ///< min(k, visible) distinct visible blocks, ascending (when sound)
  bool ascending = false;            ///< they were claimed in ascending order
  bool sound() const { return fault.empty(); }
};

/// Reads a row of k block numbers, -1 padded, of which the first min(k, visible) must be distinct blocks in
/// [0, visible). `visible` is not negative.
ClaimedRow read_claimed_row(std::span<const std::int32_t> entries, std::int64_t visible);

}  // namespace plumbline
