#pragma once

#include "fixtures/subject.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace plumbline::selftest {

/// One row of scores as a kernel meets it.
struct ScoreRow {
  std::span<const float> scores;  ///< the whole stored row; what lies behind the visible count is anybody's
  std::int64_t visible = 0;       ///< as given: may be negative
  std::int32_t k = 0;
  std::int64_t row = 0, rows = 0;  ///< in its batch
  std::int64_t call = 0;           ///< how often the selector was called before

  /// clamp(visible, 0, scores.size()).
  std::int64_t n() const;
};

using Blocks = std::vector<std::int32_t>;

/// Scratch memory that a selector keeps from row to row and from call to call.
struct Workspace {
  std::vector<std::uint32_t> counts;
};

/// Selects a row's blocks with one fault in it.
struct RowFault {
  std::string id, hazard, about, check;
  std::function<Blocks(const ScoreRow&, Workspace&)> select;
};

/// The faults of selectors whose fault lies within a row, by the kind of what goes wrong.
std::vector<RowFault> candidate_faults();  ///< which scores are looked at: buffers, bins, samples
std::vector<RowFault> tie_faults();
std::vector<RowFault> special_value_faults();
std::vector<RowFault> length_faults();
std::vector<RowFault> state_faults();  ///< what a row inherits from the call, the batch or the row before it

/// The k best of the first n blocks by a key (larger is better), lower block first among equals; ascending.
Blocks best_by(const ScoreRow& row, const std::function<std::uint64_t(std::int64_t block)>& key);
/// The same of some candidates; fewer than k of them are all taken.
Blocks best_of(const ScoreRow& row, const Blocks& candidates,
               const std::function<std::uint64_t(std::int64_t block)>& key);
/// The canonical selection.
Blocks honest(const ScoreRow& row);
/// Bin of a score among 256: the first byte of fp16's ordered bits (TOPK.md §2).
int coarse_bin(float score);

}  // namespace plumbline::selftest
