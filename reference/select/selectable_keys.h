#pragma once

#include "fixtures/tensor.h"
#include "reference/numeric/dyadic_window.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// The keys that some row can rank: valid ones below `reach` and below the first valid key that is not finite
/// (a row that sees that one has no exact scores at all). They get consecutive slots in block order, so
/// ranking by lower slot is ranking by lower block. Nothing else of the key tensor is ever read.
class SelectableKeys {
 public:
  /// `keys` [blocks, dim] floating; `valid` [blocks] or empty; `reach` <= blocks is the largest visible
  /// count.
  SelectableKeys(const TensorView& keys, std::span<const std::uint8_t> valid, std::int64_t reach);

  std::int64_t slots() const { return static_cast<std::int64_t>(blocks_.size()); }
  std::int64_t dim() const { return keys_.shape[1]; }
  std::int32_t block(std::int64_t slot) const { return blocks_[static_cast<std::size_t>(slot)]; }
  /// How many slots lie below block `visible`.
  std::int64_t slots_below(std::int64_t visible) const {
    return std::lower_bound(blocks_.begin(), blocks_.end(), visible) - blocks_.begin();
  }
  /// Whether every valid key below block `visible` (at most `reach`) is finite.
  bool finite_below(std::int64_t visible) const { return visible <= finite_end_; }

  void decode(std::int64_t slot, std::span<float> out) const;
  DyadicWindow window(std::int64_t slot) const { return windows_[static_cast<std::size_t>(slot)]; }
  /// norm_above() of the key.
  double norm(std::int64_t slot) const { return norms_[static_cast<std::size_t>(slot)]; }
  /// The lowest slot whose key has the same values (-0 = +0): equal keys have equal scores on every row.
  std::int32_t twin(std::int64_t slot) const { return twins_[static_cast<std::size_t>(slot)]; }

 private:
  void find_twins(const std::vector<std::uint64_t>& hashes);

  TensorView keys_;
  std::int64_t finite_end_;
  std::vector<std::int32_t> blocks_;   // ascending
  std::vector<DyadicWindow> windows_;  // by slot
  std::vector<double> norms_;          // by slot
  std::vector<std::int32_t> twins_;    // by slot
};

}  // namespace plumbline
