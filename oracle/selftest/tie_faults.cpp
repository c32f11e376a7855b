#include "oracle/selftest/row_fault.h"
#include "reference/numeric/key_bits.h"

#include <algorithm>
#include <bit>
#include <numeric>

// Selectors that rank every score rightly and choose among equal ones by another rule, or order by another.
namespace plumbline::selftest {
namespace {

std::uint64_t exact_key(const ScoreRow& row, std::int64_t block) {
  return score_key(row.scores[static_cast<std::size_t>(block)]);
}

/// The k best, equal ones by ascending `arrival`.
Blocks by_arrival(const ScoreRow& row, const std::function<std::uint64_t(std::int64_t block)>& arrival) {
  Blocks blocks(static_cast<std::size_t>(row.n()));
  std::iota(blocks.begin(), blocks.end(), 0);
  std::ranges::stable_sort(blocks, [&](std::int32_t a, std::int32_t b) {
    const std::uint64_t x = exact_key(row, a), y = exact_key(row, b);
    return x != y ? x > y : arrival(a) < arrival(b);
  });
  blocks.resize(std::min(blocks.size(), static_cast<std::size_t>(row.k)));
  return blocks;
}

Blocks ascending(Blocks blocks) {
  std::ranges::sort(blocks);
  return blocks;
}

std::uint64_t scrambled(std::uint64_t value) { return (value + 1) * 0x9E3779B97F4A7C15u; }

Blocks ties_by_arrival(const ScoreRow& row, Workspace&) {
  return ascending(by_arrival(row, [&](std::int64_t block) {
    return scrambled(static_cast<std::uint64_t>(block) * 131 + static_cast<std::uint64_t>(row.call));
  }));
}

Blocks order_by_arrival(const ScoreRow& row, Workspace&) {
  Blocks blocks = honest(row);
  if (!blocks.empty())
    std::ranges::rotate(blocks, blocks.begin() + row.call % static_cast<std::int64_t>(blocks.size()));
  return blocks;
}

Blocks best_first(const ScoreRow& row, Workspace&) {
  return by_arrival(row, [](std::int64_t block) { return static_cast<std::uint64_t>(block); });
}

Blocks higher_block_of_a_tie(const ScoreRow& row, Workspace&) {
  return ascending(by_arrival(row, [](std::int64_t block) { return ~static_cast<std::uint64_t>(block); }));
}

Blocks ties_of_the_last_chunk(const ScoreRow& row, Workspace&) {
  return ascending(by_arrival(row, [](std::int64_t block) {
    return static_cast<std::uint64_t>(block % 256 - block / 256 * 256 + (std::int64_t{1} << 40));
  }));
}

Blocks strided_threads(const ScoreRow& row, Workspace&) {
  return ascending(by_arrival(row, [](std::int64_t block) {
    return static_cast<std::uint64_t>(block % 32) << 32 | static_cast<std::uint64_t>(block / 32);
  }));
}

Blocks pivot_ties_dropped(const ScoreRow& row, Workspace&) {
  if (row.n() <= row.k) return honest(row);
  const Blocks best = by_arrival(row, [](std::int64_t block) { return static_cast<std::uint64_t>(block); });
  const std::uint64_t pivot = exact_key(row, best.back());
  Blocks blocks;
  for (const std::int32_t block : best)
    if (exact_key(row, block) > pivot) blocks.push_back(block);
  return ascending(blocks);
}

Blocks negative_zero_below(const ScoreRow& row, Workspace&) {
  return best_by(row, [&](std::int64_t block) -> std::uint64_t {
    const auto bits = std::bit_cast<std::uint32_t>(row.scores[static_cast<std::size_t>(block)]);
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  });
}

}  // namespace

std::vector<RowFault> tie_faults() {
  return {
      {"ties_by_arrival", "TOPK T4, ROUTES H2", "equal scores in an order that changes from call to call",
       "repeats", ties_by_arrival},
      {"order_by_arrival", "ROUTES H1", "the right set in an order that changes from call to call", "repeats",
       order_by_arrival},
      {"best_first", "CASES B2", "the right set, best score first", "order", best_first},
      {"higher_block_of_a_tie", "TOPK T4", "the higher block of equal scores", "ties", higher_block_of_a_tie},
      {"ties_of_the_last_chunk", "TOPK T18", "equal scores from the last chunk of 256 first", "ties",
       ties_of_the_last_chunk},
      {"ties_by_thread", "TOPK T18", "equal scores in the order of 32 threads that stride", "ties",
       strided_threads},
      {"pivot_ties_dropped", "TOPK T4", "what equals the k-th score is left out", "structure",
       pivot_ties_dropped},
      {"negative_zero_below", "TOPK T6", "-0 ranks below +0", "ties", negative_zero_below},
  };
}

}  // namespace plumbline::selftest
