#include "reference/select/filter_keys.h"

#include "reference/select/filter_bound.h"

#include <cmath>

namespace plumbline {

FilterKeys::FilterKeys(const SelectableKeys& keys, const FilterKernel& kernel, int threads)
    : slots_(keys.slots()), dim_(keys.dim()) {
  // Whole panels of the widest strip, whatever the kernel, so that a panel never runs past the end.
  const auto padded = static_cast<std::size_t>((slots_ + kMaxStripKeys - 1) / kMaxStripKeys * kMaxStripKeys);
  values_.resize(padded * static_cast<std::size_t>(dim_));
  norms_.resize(padded);
  double largest = 0;
  for (std::int64_t slot = 0; slot < slots_; ++slot) largest = std::max(largest, keys.norm(slot));
  const double scale = std::ldexp(1.0, -exponent_above(largest));
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> key(static_cast<std::size_t>(dim_));
#pragma omp for schedule(static)
    for (std::int64_t slot = 0; slot < slots_; ++slot) {
      keys.decode(slot, key);
      float* lane = values_.data() + slot / kernel.keys * kernel.keys * dim_ + slot % kernel.keys;
      for (std::int64_t d = 0; d < dim_; ++d) {
        lane[d * kernel.keys] = static_cast<float>(key[static_cast<std::size_t>(d)] * scale);
      }
      norms_[static_cast<std::size_t>(slot)] = bounding_norm(keys.norm(slot) * scale);
    }
  }
}

}  // namespace plumbline
