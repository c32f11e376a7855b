#pragma once

#include "oracle/replay/recorded_forward.h"
#include "oracle/replay/recorded_selection.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

// Which of a sequence's live tokens each query of a call attends: [queries, tokens so far], 1 or 0.

/// By the recorded selection, with the query's open block.
Rows<Bounded> attended_by_selection(const RecordedSelection& selection, std::int64_t layer,
                                    const LiveTokens& live, const SelectGeometry& geometry);
/// By the indexer's recorded mask, whose columns are all tokens, padded ones first: of floats it is added, so
/// 0 keeps a token; of integers (a bool mask) anything but 0 does.
Rows<double> attended_by_mask(const RecordedForward& forward, const std::string& dataset,
                              const LiveTokens& live);

/// The attended tokens of each query, none of them in its future.
std::vector<std::vector<std::int32_t>> token_lists(const Rows<double>& attended, const LiveTokens& live);

}  // namespace plumbline
