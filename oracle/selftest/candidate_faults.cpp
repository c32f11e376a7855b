#include "oracle/selftest/row_fault.h"
#include "reference/numeric/key_bits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

// Selectors that look at too few scores, or at too few of their bits.
namespace plumbline::selftest {
namespace {

std::uint64_t exact_key(const ScoreRow& row, std::int64_t block) {
  return score_key(row.scores[static_cast<std::size_t>(block)]);
}

/// Bins, takes what lies above the threshold's bin, and ranks that bin's scores among the first `capacity`
/// that arrive.
Blocks with_buffer(const ScoreRow& row, std::size_t capacity, const std::function<int(float)>& bin_of,
                   std::size_t bins) {
  const std::int64_t n = row.n();
  if (n <= row.k) return honest(row);
  std::vector<std::int64_t> population(bins, 0);
  const auto bin = [&](std::int64_t block) {
    return static_cast<std::size_t>(bin_of(row.scores[static_cast<std::size_t>(block)]));
  };
  for (std::int64_t block = 0; block < n; ++block) ++population[bin(block)];
  std::size_t threshold = bins - 1;
  std::int64_t above = 0;
  while (above + population[threshold] < row.k) above += population[threshold--];
  Blocks taken, candidates;
  for (std::int32_t block = 0; block < n; ++block) {
    if (bin(block) > threshold) taken.push_back(block);
    if (bin(block) == threshold && candidates.size() < capacity) candidates.push_back(block);
  }
  ScoreRow rest = row;
  rest.k = static_cast<std::int32_t>(row.k - above);
  const Blocks ranked = best_of(rest, candidates, [&](std::int64_t block) { return exact_key(row, block); });
  taken.insert(taken.end(), ranked.begin(), ranked.end());
  std::ranges::sort(taken);
  return taken;
}

Blocks bounded_buffer(const ScoreRow& row, Workspace&) { return with_buffer(row, 4096, coarse_bin, 256); }

Blocks bounded_later_round(const ScoreRow& row, Workspace&) {
  return with_buffer(
      row, 2048, [](float score) { return static_cast<int>(score_key(score) >> 16); }, std::size_t{1} << 16);
}

Blocks coarse_bins_alone(const ScoreRow& row, Workspace&) {
  return best_by(row, [&](std::int64_t block) {
    return static_cast<std::uint64_t>(coarse_bin(row.scores[static_cast<std::size_t>(block)]));
  });
}

Blocks upper_half_of_the_key(const ScoreRow& row, Workspace&) {
  return best_by(row, [&](std::int64_t block) { return exact_key(row, block) >> 16; });
}

Blocks last_bit_left_out(const ScoreRow& row, Workspace&) {
  return best_by(row, [&](std::int64_t block) { return exact_key(row, block) >> 1; });
}

/// 1/sqrt(128) makes one float32 number of two neighbours.
Blocks scaled_before_ranking(const ScoreRow& row, Workspace&) {
  return best_by(row, [&](std::int64_t block) -> std::uint64_t {
    return score_key(row.scores[static_cast<std::size_t>(block)] * std::bit_cast<float>(0x3DB504F3u));
  });
}

/// The k-th of every 8th score, scaled up, is the threshold; nobody counts what passes it.
Blocks sampled_threshold(const ScoreRow& row, Workspace&) {
  const std::int64_t n = row.n();
  if (n <= row.k) return honest(row);
  std::vector<std::uint64_t> sample;
  for (std::int64_t block = 0; block < n; block += 8) sample.push_back(exact_key(row, block));
  std::ranges::sort(sample, std::greater<>());
  const std::uint64_t threshold = sample[std::min(sample.size() - 1, static_cast<std::size_t>(row.k / 8))];
  Blocks blocks;
  for (std::int32_t block = 0; block < n && blocks.size() < static_cast<std::size_t>(row.k); ++block)
    if (exact_key(row, block) >= threshold) blocks.push_back(block);
  return blocks;
}

/// Each chunk may offer at most half of k.
Blocks quota_of_chunks(const ScoreRow& row, Workspace&) {
  const std::int64_t n = row.n(), chunk = 256;
  if (n <= row.k) return honest(row);
  Blocks candidates;
  for (std::int64_t first = 0; first < n; first += chunk) {
    ScoreRow part = row;
    part.k = std::max(1, row.k / 2);
    Blocks own;
    for (std::int64_t block = first; block < std::min(n, first + chunk); ++block)
      own.push_back(static_cast<std::int32_t>(block));
    const Blocks best = best_of(part, own, [&](std::int64_t block) { return exact_key(row, block); });
    candidates.insert(candidates.end(), best.begin(), best.end());
  }
  return best_of(row, candidates, [&](std::int64_t block) { return exact_key(row, block); });
}

/// The block's number shares a word with the score and has 9 bits.
Blocks packed_block_numbers(const ScoreRow& row, Workspace&) {
  Blocks blocks = honest(row);
  for (std::int32_t& block : blocks) block &= 511;
  std::ranges::sort(blocks);
  return blocks;
}

Blocks chunk_relative_numbers(const ScoreRow& row, Workspace&) {
  Blocks blocks = honest(row);
  for (std::int32_t& block : blocks) block = block < 256 ? block : block % 256;
  std::ranges::sort(blocks);
  return blocks;
}

Blocks doubled_at_the_merge(const ScoreRow& row, Workspace&) {
  Blocks blocks = honest(row);
  if (blocks.size() > 2 && row.n() > row.k) blocks[1] = blocks[0];
  return blocks;
}

Blocks one_per_score(const ScoreRow& row, Workspace&) {
  if (row.n() <= row.k) return honest(row);
  std::set<std::uint64_t> seen;
  Blocks distinct;
  for (std::int32_t block = 0; block < row.n(); ++block)
    if (seen.insert(exact_key(row, block)).second) distinct.push_back(block);
  return best_of(row, distinct, [&](std::int64_t block) { return exact_key(row, block); });
}

}  // namespace

std::vector<RowFault> candidate_faults() {
  return {
      {"bounded_buffer", "TOPK T1, ROUTES H3", "a threshold bin's candidates beyond 4,096 are dropped",
       "value", bounded_buffer},
      {"bounded_later_round", "TOPK T2, T3", "the same in a later radix round, beyond 2,048", "value",
       bounded_later_round},
      {"coarse_bins_alone", "TOPK T1", "ranks by the first byte of fp16 and by arrival within a bin", "value",
       coarse_bins_alone},
      {"upper_half_of_the_key", "TOPK T12", "ranks by the upper 16 bits of the float32 key", "value",
       upper_half_of_the_key},
      {"last_bit_left_out", "TOPK T12", "ranks without the last bit of the float32 key", "value",
       last_bit_left_out},
      {"scaled_before_ranking", "TOPK T12", "ranks scores times 1/sqrt(128), rounded once more", "value",
       scaled_before_ranking},
      {"sampled_threshold", "TOPK T12", "takes the first k above a threshold guessed from a sample",
       "structure", sampled_threshold},
      {"quota_of_chunks", "TOPK T18", "takes no more than half of k from a chunk of 256", "value",
       quota_of_chunks},
      {"packed_block_numbers", "TOPK T17", "block numbers of 9 bits", "structure", packed_block_numbers},
      {"chunk_relative_numbers", "TOPK T21", "block numbers count from their chunk", "structure",
       chunk_relative_numbers},
      {"doubled_at_the_merge", "CASES B4", "the first winner is written twice", "structure",
       doubled_at_the_merge},
      {"one_per_score", "TOPK T22", "equal scores count once", "structure", one_per_score},
  };
}

}  // namespace plumbline::selftest
