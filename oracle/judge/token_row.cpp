#include "oracle/judge/token_row.h"

#include "reference/model/expand_tokens.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

TokenRow deviating(TokenPart part, std::int64_t token, std::string fault) {
  TokenRow row;
  row.deviation = part;
  row.blocks.fault = std::move(fault);
  row.blocks.bad_entry = token;
  return row;
}

}  // namespace

TokenRow read_token_row(std::span<const std::int32_t> tokens, const TokenRowShape& shape) {
  const std::int32_t ratio = shape.ratio;
  const std::int64_t due = std::min<std::int64_t>(shape.block_topk, shape.visible);
  std::vector<std::int32_t> entries(static_cast<std::size_t>(shape.block_topk), -1);
  for (std::int64_t group = 0; group < due; ++group) {
    const std::int64_t slot = group * ratio;
    const std::int32_t first = tokens[static_cast<std::size_t>(slot)];
    if (first == -1) {
      return deviating(
          TokenPart::expansion, first,
          fmt::format("slot {} holds -1: {} of the {} due blocks are expanded", slot, group, due));
    }
    if (first < 0 || first % ratio != 0) {
      return deviating(TokenPart::expansion, first,
                       fmt::format("slot {} holds token {}, where a block of {} starts", slot, first, ratio));
    }
    for (std::int32_t member = 1; member < ratio; ++member) {
      const std::int32_t token = tokens[static_cast<std::size_t>(slot + member)];
      if (std::int64_t{token} == std::int64_t{first} + member) continue;
      return deviating(TokenPart::expansion, token,
                       fmt::format("slot {} holds {} inside block {}, where token {} is due", slot + member,
                                   token, first / ratio, std::int64_t{first} + member));
    }
    entries[static_cast<std::size_t>(group)] = first / ratio;
  }
  TokenRow row;
  row.blocks = read_claimed_row(entries, shape.visible);
  if (!row.blocks.sound()) {
    return deviating(TokenPart::expansion, row.blocks.bad_entry,
                     fmt::format("the expanded blocks are wrong: {}", row.blocks.fault));
  }

  std::vector<std::int32_t> expected(tokens.size());
  expand_tokens(entries, shape.position, shape.sequence_length, ratio, expected);
  const auto [found, wanted] = std::mismatch(tokens.begin(), tokens.end(), expected.begin());
  if (found == tokens.end()) return row;
  const auto slot = found - tokens.begin();
  if (*wanted >= 0) {
    return deviating(
        TokenPart::tail, *found,
        fmt::format("slot {} holds {}, where token {} of the open group is due", slot, *found, *wanted));
  }
  return deviating(TokenPart::padding, *found,
                   fmt::format("slot {} holds {}, where -1 is due", slot, *found));
}

}  // namespace plumbline
