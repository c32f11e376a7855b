#include "oracle/selftest/persistent_histogram.h"

#include "reference/numeric/key_bits.h"

#include <algorithm>
#include <span>

namespace plumbline::selftest {

Blocks persistent_rows(const ScoreRow& row, Workspace& workspace, std::int64_t long_row) {
  constexpr std::size_t kBins = 256, kHistograms = 3;
  if (row.row == 0 || workspace.counts.empty()) workspace.counts.assign(kBins * kHistograms, 0);
  const std::int64_t n = row.n();
  if (n <= row.k || n <= long_row) return honest(row);
  const auto histogram = [&](std::int64_t round) {
    const auto which = static_cast<std::size_t>((4 * row.row + round) % 3);
    return std::span(workspace.counts).subspan(which * kBins, kBins);
  };
  const auto key = [&](std::int64_t block) { return score_key(row.scores[static_cast<std::size_t>(block)]); };

  std::uint32_t prefix = 0, mask = 0;
  std::int64_t wanted = row.k;
  for (int round = 0; round < 4; ++round) {
    const int shift = 24 - 8 * round;
    const std::span<std::uint32_t> counts = histogram(round);
    for (std::int64_t block = 0; block < n; ++block)
      if ((key(block) & mask) == prefix) ++counts[(key(block) >> shift) & 0xFFu];
    std::ranges::fill(histogram(round + 1), 0u);
    std::size_t bin = kBins - 1;
    while (bin > 0 && counts[bin] < wanted) wanted -= counts[bin--];
    prefix |= static_cast<std::uint32_t>(bin) << shift;
    mask |= 0xFFu << shift;
  }
  Blocks blocks;
  for (std::int32_t block = 0; block < n; ++block) {
    if (key(block) > prefix || (key(block) == prefix && wanted-- > 0)) blocks.push_back(block);
  }
  if (blocks.size() > static_cast<std::size_t>(row.k)) blocks.resize(static_cast<std::size_t>(row.k));
  return blocks;
}

}  // namespace plumbline::selftest
