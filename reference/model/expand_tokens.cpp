#include "reference/model/expand_tokens.h"

#include "fixtures/error.h"
#include "reference/model/visibility.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline {

void expand_tokens(std::span<const std::int32_t> blocks, std::int64_t position, std::int64_t sequence_length,
                   std::int32_t ratio, std::span<std::int32_t> tokens) {
  const auto k = static_cast<std::int64_t>(blocks.size());
  const std::int64_t width = k * ratio + ratio - 1;
  if (ratio < 1 || static_cast<std::int64_t>(tokens.size()) != width) {
    throw InputError(fmt::format("token selection: expected width {} for {} blocks of {} tokens, found {}",
                                 width, k, ratio, tokens.size()));
  }
  std::ranges::fill(tokens, -1);
  if (position < 0) return;

  const auto store = [&](std::int64_t slot, std::int64_t token) {
    if (token >= 0 && token < sequence_length) {
      tokens[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(token);
    }
  };
  const std::int64_t expanded = ratio * std::min(k, visible_blocks(position, sequence_length, ratio));
  for (std::int64_t slot = 0; slot < expanded; ++slot) {
    store(slot, std::int64_t{blocks[static_cast<std::size_t>(slot / ratio)]} * ratio + slot % ratio);
  }
  const std::int64_t open_members = position % ratio + 1;
  if (open_members == ratio) return;  // the query closes its own group, which must win its place as a block
  for (std::int64_t member = 0; member < open_members; ++member) {
    store(expanded + member, position / ratio * ratio + member);
  }
}

}  // namespace plumbline
