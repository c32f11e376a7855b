#include "reference/model/ngram_hash.h"

#include "fixtures/error.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::uint64_t kGoldenGamma = 0x9E3779B97F4A7C15u;
constexpr std::int64_t kLayerSeedStep = 10007;

/// One step of splitmix64 (Steele, Lea, Flood 2014) from state z.
std::uint64_t splitmix64(std::uint64_t z) {
  z += kGoldenGamma;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

bool is_prime(std::int64_t n) {
  if (n < 4) return n > 1;
  if (n % 2 == 0) return false;
  for (std::int64_t divisor = 3; divisor * divisor <= n; divisor += 2) {
    if (n % divisor == 0) return false;
  }
  return true;
}

}  // namespace

NgramTables ngram_tables(const NgramShape& shape) {
  NgramTables tables;
  const auto base = static_cast<std::uint64_t>(shape.seed + kLayerSeedStep * shape.layer_ordinal);
  const std::int64_t half_bound = std::max<std::int64_t>(1, INT64_MAX / shape.vocab_size / 2);
  for (std::int64_t i = 0; i < shape.ngram_size; ++i) {
    const std::uint64_t draw = splitmix64(base + kGoldenGamma * static_cast<std::uint64_t>(i + 1));
    tables.multipliers.push_back(
        static_cast<std::int64_t>(2 * (draw % static_cast<std::uint64_t>(half_bound)) + 1));
  }
  std::int64_t skip = shape.layer_ordinal * shape.heads();
  for (std::int64_t candidate = shape.vocab_size_base;
       static_cast<std::int64_t>(tables.head_sizes.size()) < shape.heads(); ++candidate) {
    if (!is_prime(candidate) || skip-- > 0) continue;
    tables.head_offsets.push_back(tables.rows);
    tables.head_sizes.push_back(candidate);
    tables.rows += candidate;
  }
  tables.padded_rows = (tables.rows + shape.divisible_by - 1) / shape.divisible_by * shape.divisible_by;
  return tables;
}

std::vector<std::int64_t> ngram_rows(const NgramShape& shape, const NgramTables& tables,
                                     std::int64_t end_of_sequence, std::span<const std::int64_t> context,
                                     std::span<const std::int64_t> tokens) {
  std::vector<std::int64_t> history(context.begin(), context.end());
  history.insert(history.end(), tokens.begin(), tokens.end());
  for (const std::int64_t token : history) {
    if (token < 0 || token >= shape.vocab_size) {
      throw InputError(
          fmt::format("n-gram hash: expected a token in [0, {}), found {}", shape.vocab_size, token));
    }
  }
  std::vector<std::int64_t> rows;
  rows.reserve(tokens.size() * tables.head_sizes.size());
  for (std::size_t now = context.size(); now < history.size(); ++now) {
    std::int64_t ngram = history[now] * tables.multipliers[0];
    bool cut = false;
    for (std::int64_t back = 1; back < shape.ngram_size; ++back) {
      const std::int64_t earlier = history[now - static_cast<std::size_t>(back)];
      cut = cut || earlier == end_of_sequence;
      ngram ^= (cut ? end_of_sequence : earlier) * tables.multipliers[static_cast<std::size_t>(back)];
      for (std::int64_t i = 0; i < shape.heads_per_ngram; ++i) {
        const auto head = static_cast<std::size_t>((back - 1) * shape.heads_per_ngram + i);
        rows.push_back(ngram % tables.head_sizes[head] + tables.head_offsets[head]);
      }
    }
  }
  return rows;
}

}  // namespace plumbline
