#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// A part of a run: of `of` parts the `index`-th, from 1. What lies in it is decided by a stable hash of each
/// name alone, so parts need no scheduler, lie on any machines, and together are the run.
struct Shard {
  int index = 1, of = 1;
  bool holds(std::string_view name) const;
};

/// "2/8". Throws InputError.
Shard parse_shard(const std::string& text);

/// GTEST_SHARD_INDEX (from 0) of GTEST_TOTAL_SHARDS, as GoogleTest reads them; the whole run where they are
/// not set. Throws InputError.
Shard shard_from_environment();

}  // namespace plumbline
