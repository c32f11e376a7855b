#pragma once

#include "fixtures/subject.h"
#include "oracle/judge/judge_selection.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace plumbline {

/// What a paged subject returned, by callback so that planes can be streamed; rows as in the capture.
struct TokenClaim {
  const PagedSelectInputs* inputs = nullptr;
  /// Rows [first, first + count) of selected_tokens: count · token_width entries.
  std::function<void(std::int64_t first, std::int64_t count, std::span<std::int32_t> out)> selected_tokens;
  /// count · block_topk entries; empty function where not recorded.
  std::function<void(std::int64_t first, std::int64_t count, std::span<std::int32_t> out)> selected_blocks;
  /// count · score_blocks float32; empty function where not recorded. Only visible blocks are read.
  std::function<void(std::int64_t first, std::int64_t count, std::span<float> out)> block_scores;
  std::int64_t score_blocks = 0;
};

/// Where token rows deviate from the expansion of a block selection (ROUTES.md §5.2-5.3); a row counts once,
/// for the first deviation.
struct TokenFaults {
  std::int64_t expansion = 0;  ///< a block split, out of range, repeated, or too few of them
  std::int64_t tail = 0;       ///< the open group's tokens, right behind the expansion
  std::int64_t padding = 0;    ///< something behind the tail, or in a padded row
  std::int64_t total() const { return expansion + tail + padding; }
};

struct TokenReport {
  SelectionReport tokens;                 ///< tag "tokens": blocks recovered from the tokens
  std::optional<SelectionReport> blocks;  ///< tag "blocks": selected_blocks, where recorded
  TokenFaults faults;                     ///< each of them is a structural row of `tokens`
  std::int64_t padded_rows = 0;           ///< rows of no request: every entry must be -1
};

/// Judges every row of a paged selection: its tokens must be whole visible blocks, b·ratio … b·ratio + ratio
/// − 1 each, min(k, visible) of them, followed by the tail and -1; the blocks get the verdicts of
/// judge_selection. Keys come from the page table; blocks behind unmapped pages rank as -infinity. Throws
/// InputError when block_scores is narrower than a row's visible blocks.
TokenReport judge_tokens(const TokenClaim& claim, const JudgeOptions& options);

}  // namespace plumbline
