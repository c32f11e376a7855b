#include "oracle/report/shard.h"

#include "fixtures/error.h"
#include "gpu/dispatch/hash.h"

#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr int kMostShards = 1'000'000;

bool parse(std::string_view text, int& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

bool Shard::holds(std::string_view name) const {
  return dispatch::hash_text(name) % static_cast<unsigned>(of) == static_cast<unsigned>(index - 1);
}

Shard parse_shard(const std::string& text) {
  Shard shard;
  const std::string_view view = text;
  const std::size_t slash = view.find('/');
  const bool numbers = slash != std::string_view::npos && parse(view.substr(0, slash), shard.index) &&
                       parse(view.substr(slash + 1), shard.of);
  if (!numbers || shard.of < 1 || shard.of > kMostShards || shard.index < 1 || shard.index > shard.of)
    throw InputError(fmt::format("shard: expected I/N with I from 1 to N, such as 2/8, found '{}'", text));
  return shard;
}

Shard shard_from_environment() {
  const char* total = std::getenv("GTEST_TOTAL_SHARDS");
  const char* index = std::getenv("GTEST_SHARD_INDEX");
  if (total == nullptr && index == nullptr) return {};
  Shard shard;
  if (total == nullptr || index == nullptr || !parse(total, shard.of) || !parse(index, shard.index) ||
      shard.of < 1 || shard.of > kMostShards || shard.index < 0 || shard.index >= shard.of) {
    throw InputError(fmt::format(
        "GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX: expected N and 0 to N - 1, found '{}' and '{}'",
        total == nullptr ? "" : total, index == nullptr ? "" : index));
  }
  ++shard.index;
  return shard;
}

}  // namespace plumbline
