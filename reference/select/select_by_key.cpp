#include "reference/select/select_by_key.h"

#include "reference/numeric/key_bits.h"

#include <algorithm>
#include <numeric>

namespace plumbline {

std::vector<std::int32_t> select_by_key(std::span<const float> scores, std::int64_t visible, std::int32_t k) {
  const auto n = std::clamp<std::int64_t>(visible, 0, static_cast<std::int64_t>(scores.size()));
  const std::int64_t wanted = std::clamp<std::int64_t>(k, 0, n);
  std::vector<std::int32_t> blocks(static_cast<std::size_t>(wanted));
  if (wanted == n) {
    std::iota(blocks.begin(), blocks.end(), 0);
    return blocks;
  }
  // Unique 64-bit keys, larger = better: the score's key, then the lower block.
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
  for (std::size_t block = 0; block < keys.size(); ++block) {
    keys[block] = static_cast<std::uint64_t>(score_key(scores[block])) << 32 |
                  (0xFFFFFFFFu - static_cast<std::uint32_t>(block));
  }
  std::nth_element(keys.begin(), keys.begin() + wanted, keys.end(), std::greater<>());
  std::transform(keys.begin(), keys.begin() + wanted, blocks.begin(), [](std::uint64_t key) {
    return static_cast<std::int32_t>(0xFFFFFFFFu - static_cast<std::uint32_t>(key));
  });
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace plumbline
