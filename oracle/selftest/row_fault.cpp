#include "oracle/selftest/row_fault.h"

#include "fixtures/small_float.h"
#include "reference/numeric/key_bits.h"
#include "reference/select/select_by_key.h"

#include <algorithm>
#include <numeric>

namespace plumbline::selftest {

std::int64_t ScoreRow::n() const {
  return std::clamp<std::int64_t>(visible, 0, static_cast<std::int64_t>(scores.size()));
}

Blocks best_of(const ScoreRow& row, const Blocks& candidates,
               const std::function<std::uint64_t(std::int64_t block)>& key) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> ranked;
  for (const std::int32_t block : candidates) ranked.emplace_back(key(block), block);
  std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(row.k)));
  Blocks blocks;
  for (const auto& [rank, block] : ranked) blocks.push_back(block);
  std::ranges::sort(blocks);
  return blocks;
}

Blocks best_by(const ScoreRow& row, const std::function<std::uint64_t(std::int64_t block)>& key) {
  Blocks all(static_cast<std::size_t>(row.n()));
  std::iota(all.begin(), all.end(), 0);
  return best_of(row, all, key);
}

Blocks honest(const ScoreRow& row) { return select_by_key(row.scores, row.visible, row.k); }

int coarse_bin(float score) {
  const std::uint16_t bits = encode_float16(score);
  return static_cast<std::uint16_t>((bits & 0x8000u) != 0 ? ~bits : bits | 0x8000u) >> 8;
}

}  // namespace plumbline::selftest
