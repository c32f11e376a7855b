#pragma once

#include "reference/select/filter_kernel.h"
#include "reference/select/selectable_keys.h"

#include <cstdint>
#include <vector>

namespace plumbline {

/// All selectable keys as scaled float32, packed for a kernel: strips of `kernel.keys` slots, each [dim][keys
/// of the strip]. Slots beyond the last are zero.
class FilterKeys {
 public:
  FilterKeys(const SelectableKeys& keys, const FilterKernel& kernel, int threads);

  std::int64_t slots() const { return slots_; }
  const float* strip(std::int64_t first_slot) const { return values_.data() + first_slot * dim_; }
  /// The norms used in bounds (M of filter_bound.h), by slot.
  const float* norms() const { return norms_.data(); }

 private:
  std::int64_t slots_, dim_;
  std::vector<float> values_;
  std::vector<float> norms_;
};

}  // namespace plumbline
