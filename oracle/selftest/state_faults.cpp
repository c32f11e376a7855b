#include "oracle/selftest/persistent_histogram.h"
#include "oracle/selftest/row_fault.h"
#include "reference/numeric/key_bits.h"

#include <algorithm>

// Selectors whose answer to a row depends on more than the row.
namespace plumbline::selftest {
namespace {

Blocks stale_histogram(const ScoreRow& row, Workspace& workspace) {
  return persistent_rows(row, workspace, 128);
}

Blocks route_by_batch(const ScoreRow& row, Workspace&) {
  Blocks blocks = honest(row);
  if (row.rows > 8) std::ranges::reverse(blocks);
  return blocks;
}

Blocks length_of_the_first_row(const ScoreRow& row, Workspace& workspace) {
  if (row.row == 0) workspace.counts.assign(1, static_cast<std::uint32_t>(row.n()));
  ScoreRow other = row;
  other.visible = std::min<std::int64_t>(row.n(), workspace.counts.at(0));
  return honest(other);
}

/// The row before left the key of its k-th score as the first guess.
Blocks threshold_of_the_row_before(const ScoreRow& row, Workspace& workspace) {
  if (row.row == 0 || workspace.counts.empty()) workspace.counts.assign(1, 0);
  if (row.n() <= row.k) return honest(row);
  Blocks candidates;
  for (std::int32_t block = 0; block < row.n(); ++block)
    if (score_key(row.scores[static_cast<std::size_t>(block)]) >= workspace.counts[0])
      candidates.push_back(block);
  const auto key = [&](std::int64_t block) -> std::uint64_t {
    return score_key(row.scores[static_cast<std::size_t>(block)]);
  };
  std::uint32_t lowest = ~0u;
  for (const std::int32_t block : honest(row))
    lowest = std::min(lowest, static_cast<std::uint32_t>(key(block)));
  workspace.counts[0] = lowest;
  return best_of(row, candidates, key);
}

Blocks counter_of_the_call_before(const ScoreRow& row, Workspace&) {
  Blocks blocks = honest(row);
  if (row.call > 0 && row.n() > row.k) blocks.pop_back();  // the slot counter starts at what was left in it
  return blocks;
}

}  // namespace

std::vector<RowFault> state_faults() {
  return {
      {"stale_histogram", "ROUTES H4, TOPK T20",
       "a long row after a short one begins on the counts of the long row before", "batch", stale_histogram},
      {"route_by_batch", "TOPK T19", "more than 8 rows take a route of another order", "batch",
       route_by_batch},
      {"length_of_the_first_row", "CASES C11", "the first row's length holds for all", "batch",
       length_of_the_first_row},
      {"threshold_of_the_row_before", "TOPK T20", "starts from the threshold that the row before has left",
       "batch", threshold_of_the_row_before},
      {"counter_of_the_call_before", "TOPK T20", "a counter is not cleared between calls", "repeats",
       counter_of_the_call_before},
  };
}

}  // namespace plumbline::selftest
