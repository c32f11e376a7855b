#include "oracle/selftest/row_fault.h"
#include "reference/numeric/key_bits.h"

#include <algorithm>
#include <numeric>

// Selectors that take a row for longer or shorter than it is.
namespace plumbline::selftest {
namespace {

ScoreRow with_visible(const ScoreRow& row, std::int64_t visible) {
  ScoreRow other = row;
  other.visible = visible;
  return other;
}

Blocks unsigned_length(const ScoreRow& row, Workspace&) {
  return honest(row.visible < 0 ? with_visible(row, static_cast<std::int64_t>(row.scores.size())) : row);
}

Blocks phantom_lanes(const ScoreRow& row, Workspace&) {
  return honest(row.n() > row.k ? with_visible(row, (row.n() + 3) / 4 * 4) : row);
}

Blocks whole_vectors_only(const ScoreRow& row, Workspace&) {
  const std::int64_t whole = row.n() / 4 * 4;
  return honest(whole > row.k ? with_visible(row, whole) : row);
}

Blocks short_path_too_long(const ScoreRow& row, Workspace&) {
  if (row.n() != row.k + 1) return honest(row);
  Blocks blocks(static_cast<std::size_t>(row.k));
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

Blocks ranks_behind_the_length(const ScoreRow& row, Workspace&) {
  if (row.n() <= row.k) return honest(row);
  Blocks blocks = honest(with_visible(row, static_cast<std::int64_t>(row.scores.size())));
  std::erase_if(blocks, [&](std::int32_t block) { return block >= row.n(); });
  return blocks;
}

/// The score behind the last one decides which of two right answers is given.
Blocks peeks_behind_the_length(const ScoreRow& row, Workspace&) {
  Blocks blocks = honest(row);
  const auto n = static_cast<std::size_t>(row.n());
  if (n < row.scores.size() && row.n() > row.k && row.scores[n] > 0) std::ranges::reverse(blocks);
  return blocks;
}

Blocks one_block_short(const ScoreRow& row, Workspace&) {
  Blocks blocks = honest(row);
  if (row.n() > row.k) blocks.pop_back();
  return blocks;
}

Blocks unwritten_slots(const ScoreRow& row, Workspace&) {
  Blocks blocks = honest(row);
  blocks.resize(static_cast<std::size_t>(row.k), -7);  // what the buffer held before
  return blocks;
}

Blocks first_block_skipped(const ScoreRow& row, Workspace&) {
  if (row.n() <= row.k) return honest(row);
  Blocks others(static_cast<std::size_t>(row.n() - 1));
  std::iota(others.begin(), others.end(), 1);
  return best_of(row, others, [&](std::int64_t block) -> std::uint64_t {
    return score_key(row.scores[static_cast<std::size_t>(block)]);
  });
}

}  // namespace

std::vector<RowFault> length_faults() {
  return {
      {"unsigned_length", "TOPK T14, ROUTES H5", "a negative length is a huge one", "structure",
       unsigned_length},
      {"phantom_lanes", "TOPK T9", "the last vector's lanes behind the length take part", "structure",
       phantom_lanes},
      {"whole_vectors_only", "TOPK T16", "the scores behind the last whole vector are left out", "value",
       whole_vectors_only},
      {"short_path_too_long", "TOPK T14", "a row of k + 1 blocks takes the path without a ranking", "value",
       short_path_too_long},
      {"ranks_behind_the_length", "TOPK T15, CASES H9",
       "ranks the whole stored row, then leaves out what is behind", "behind", ranks_behind_the_length},
      {"peeks_behind_the_length", "TOPK T15", "the order depends on the score behind the last one", "behind",
       peeks_behind_the_length},
      {"one_block_short", "CASES B6", "one block less than there is room for", "structure", one_block_short},
      {"unwritten_slots", "TOPK T8", "slots without a block keep what was there", "structure",
       unwritten_slots},
      {"first_block_skipped", "TOPK T21", "rows start at their second block", "value", first_block_skipped},
  };
}

}  // namespace plumbline::selftest
