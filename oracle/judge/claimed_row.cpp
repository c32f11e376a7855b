#include "oracle/judge/claimed_row.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline {
namespace {

ClaimedRow faulty(std::string fault, std::int64_t bad_entry) {
  ClaimedRow row;
  row.fault = std::move(fault);
  row.bad_entry = bad_entry;
  return row;
}

}  // namespace

ClaimedRow read_claimed_row(std::span<const std::int32_t> entries, std::int64_t visible) {
  const std::int64_t due = std::min<std::int64_t>(static_cast<std::int64_t>(entries.size()), visible);
  ClaimedRow row;
  row.blocks.reserve(static_cast<std::size_t>(due));
  std::size_t padding_slot = entries.size();
  for (std::size_t slot = 0; slot < entries.size(); ++slot) {
    const std::int32_t entry = entries[slot];
    if (entry == -1) {
      padding_slot = std::min(padding_slot, slot);
      continue;
    }
    if (entry < 0 || entry >= visible) {
      return faulty(fmt::format("slot {} holds {}, outside the {} visible blocks", slot, entry, visible),
                    entry);
    }
    if (padding_slot < slot) {
      return faulty(fmt::format("slot {} holds block {} behind the -1 of slot {}", slot, entry, padding_slot),
                    entry);
    }
    row.blocks.push_back(entry);
  }
  row.ascending = std::is_sorted(row.blocks.begin(), row.blocks.end());
  if (!row.ascending) std::sort(row.blocks.begin(), row.blocks.end());
  const auto twin = std::adjacent_find(row.blocks.begin(), row.blocks.end());
  if (twin != row.blocks.end()) {
    const auto first = std::find(entries.begin(), entries.end(), *twin);
    const auto second = std::find(first + 1, entries.end(), *twin);
    return faulty(fmt::format("slots {} and {} both hold block {}", first - entries.begin(),
                              second - entries.begin(), *twin),
                  *twin);
  }
  if (static_cast<std::int64_t>(row.blocks.size()) < due) {
    return faulty(fmt::format("{} of the {} due blocks are claimed", row.blocks.size(), due), -1);
  }
  return row;
}

}  // namespace plumbline
