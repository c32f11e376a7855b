#include "oracle/selftest/tolerance_comparator.h"

#include "reference/numeric/key_bits.h"
#include "reference/select/select_by_key.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plumbline::selftest {
namespace {

bool by_key(float a, float b) { return score_key(a) < score_key(b); }

}  // namespace

bool close(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= 1e-4 + 1e-4 * std::abs(b);
}

bool sorted_scores_close(std::span<const float> scores, std::int64_t visible, std::int32_t k,
                         std::span<const std::int32_t> claimed) {
  std::vector<float> found, best;
  for (const std::int32_t block : claimed) {
    if (block == -1) continue;
    if (block < 0 || block >= static_cast<std::int64_t>(scores.size())) return false;
    found.push_back(scores[static_cast<std::size_t>(block)]);
  }
  for (const std::int32_t block : select_by_key(scores, visible, k))
    best.push_back(scores[static_cast<std::size_t>(block)]);
  if (found.size() != best.size()) return false;
  std::ranges::sort(found, by_key);
  std::ranges::sort(best, by_key);
  return std::ranges::equal(found, best, [](float a, float b) { return close(a, b); });
}

}  // namespace plumbline::selftest
