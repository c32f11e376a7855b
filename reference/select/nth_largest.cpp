#include "reference/select/nth_largest.h"

#include <algorithm>
#include <array>
#include <functional>

namespace plumbline {
namespace {

constexpr std::size_t kSample = 64;
/// How far, in sample ranks, the pivots stand from the rank's own place: two standard deviations of a sample
/// rank at most (sqrt(64 / 4) = 4 each).
constexpr std::int64_t kReach = 8;
/// Below this, ordering the values is as fast as narrowing them.
constexpr std::size_t kFew = 4 * kSample;
/// So near the least value, the few values from there on are kept while the others pass.
constexpr std::int64_t kNearTheEnd = 16;

}  // namespace

float NthLargest::operator()(std::span<const float> values, std::int64_t rank) {
  const auto ordered = [this, &values, rank] {
    scratch_.assign(values.begin(), values.end());
    const auto nth = scratch_.begin() + (rank - 1);
    std::nth_element(scratch_.begin(), nth, scratch_.end(), std::greater<>());
    return *nth;
  };
  if (values.size() < kFew) return ordered();
  if (const auto from_below = static_cast<std::int64_t>(values.size()) - rank + 1;
      from_below <= kNearTheEnd) {
    std::array<float, kNearTheEnd> least;
    std::partial_sort_copy(values.begin(), values.end(), least.begin(), least.begin() + from_below);
    return least[static_cast<std::size_t>(from_below - 1)];
  }

  std::array<float, kSample> sample;
  for (std::size_t i = 0; i < kSample; ++i) sample[i] = values[i * values.size() / kSample];
  std::sort(sample.begin(), sample.end(), std::greater<>());
  const std::int64_t place =
      rank * static_cast<std::int64_t>(kSample) / static_cast<std::int64_t>(values.size());
  const float high = sample[static_cast<std::size_t>(std::max<std::int64_t>(place - kReach, 0))];
  const float low =
      sample[static_cast<std::size_t>(std::min<std::int64_t>(place + kReach, std::int64_t{kSample} - 1))];

  scratch_.resize(values.size());
  std::int64_t above = 0;
  std::size_t between = 0;
  for (const float value : values) {
    above += value > high ? 1 : 0;
    scratch_[between] = value;
    between += static_cast<std::size_t>((value <= high) & (value >= low));
  }
  if (rank <= above || rank > above + static_cast<std::int64_t>(between)) return ordered();
  const auto nth = scratch_.begin() + (rank - above - 1);
  std::nth_element(scratch_.begin(), nth, scratch_.begin() + static_cast<std::ptrdiff_t>(between),
                   std::greater<>());
  return *nth;
}

}  // namespace plumbline
