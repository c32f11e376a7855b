#pragma once

#include "oracle/judge/claimed_row.h"

#include <cstdint>
#include <span>

namespace plumbline {

/// Which part of a token row deviates first.
enum class TokenPart : std::uint8_t { none, expansion, tail, padding };

struct TokenRow {
  ClaimedRow blocks;  ///< recovered from the tokens; its fault names slot, found and due token
  TokenPart deviation = TokenPart::none;
};

/// What a row's tokens depend on.
struct TokenRowShape {
  std::int64_t visible = 0;          ///< blocks the row may select among
  std::int64_t position = -1;        ///< of the query
  std::int64_t sequence_length = 0;  ///< 0 for a padded row: no token is due
  std::int32_t ratio = 1;
  std::int32_t block_topk = 1;
};

/// Reads block_topk·ratio + ratio − 1 tokens back into blocks: whole groups of the first min(block_topk,
/// visible) blocks in the given order, then the tail and padding that expand_tokens puts behind them.
TokenRow read_token_row(std::span<const std::int32_t> tokens, const TokenRowShape& shape);

}  // namespace plumbline
