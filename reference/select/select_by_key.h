#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// The canonical selection on given float32 scores: a pure function of (key bits, block). Scores of the first
/// n = clamp(visible, 0, scores.size()) blocks are ranked by score_key, lower block first; n <= k selects all
/// without reading a score. Ascending, min(k, n) entries.
std::vector<std::int32_t> select_by_key(std::span<const float> scores, std::int64_t visible, std::int32_t k);

}  // namespace plumbline
