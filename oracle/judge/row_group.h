#pragma once

#include "fixtures/subject.h"
#include "oracle/judge/claimed_row.h"
#include "oracle/judge/judge_selection.h"
#include "oracle/judge/selection_tally.h"

#include <cstdint>
#include <functional>
#include <span>

namespace plumbline {

/// Rows that share one list of keys: all of a kind B case, one request's of a kind C case.
struct RowGroup {
  const SelectInputs* inputs = nullptr;
  std::span<const std::uint8_t> key_valid;
  std::int64_t claimed_width = 0;  ///< entries of one claimed row
  /// Rows [first, first + count) of the group into count · claimed_width entries.
  std::function<void(std::int64_t first, std::int64_t count, std::span<std::int32_t> out)> claimed;
  /// Makes a claimed set of one row's entries. Called from several threads.
  std::function<ClaimedRow(std::int64_t row, std::span<const std::int32_t> entries)> read;
  /// count · blocks scores; empty function where there are none.
  std::function<void(std::int64_t first, std::int64_t count, std::span<float> out)> scores;
  /// Number of a group's row in the report.
  std::function<std::int64_t(std::int64_t row)> number;
};

/// Judges the group's rows on recorded scores, where it has them, and on exact scores, where it has query and
/// key.
void judge_group(const RowGroup& group, const JudgeOptions& options, const ErrorModel& error_model,
                 SelectionTally& tally);

}  // namespace plumbline
