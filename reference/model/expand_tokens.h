#pragma once

#include <cstdint>
#include <span>

namespace plumbline {

/// Expands a block selection to the token selection of ROUTES.md §5.3: each block b becomes tokens
/// b·ratio … b·ratio + ratio − 1 in the given order (−1 stays −1), the first ratio·min(k, visible) of them
/// are kept, the tokens of the open group up to the query follow immediately, the rest of `tokens` is −1. A
/// token outside [0, sequence_length) is −1. `blocks` has k entries, `tokens` k·ratio + ratio − 1.
void expand_tokens(std::span<const std::int32_t> blocks, std::int64_t position, std::int64_t sequence_length,
                   std::int32_t ratio, std::span<std::int32_t> tokens);

}  // namespace plumbline
