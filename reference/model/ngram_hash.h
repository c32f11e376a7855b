#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// What the n-gram hash of one PLE layer is made of (MODEL.md §1.2).
struct NgramShape {
  std::int64_t vocab_size = 0;
  std::int64_t ngram_size = 3;       ///< longest n-gram; the dilation of the PLE convolution too
  std::int64_t heads_per_ngram = 8;  ///< hash heads for each n in 2 … ngram_size
  std::int64_t vocab_size_base = 0;  ///< table sizes are the primes at or above it
  std::int64_t divisible_by = 1;     ///< the table's rows are padded to a multiple of it
  std::int64_t seed = 0;
  std::int64_t layer_ordinal = 0;  ///< 0 for the first PLE layer

  std::int64_t heads() const { return (ngram_size - 1) * heads_per_ngram; }
};

/// Constants of the hash; tables are named, never allocated here.
struct NgramTables {
  std::vector<std::int64_t> multipliers;   ///< [ngram_size], of the token itself, its predecessor, …; odd
  std::vector<std::int64_t> head_sizes;    ///< [heads], primes
  std::vector<std::int64_t> head_offsets;  ///< [heads], first row of each head's table
  std::int64_t rows = 0;                   ///< sum of the head sizes
  std::int64_t padded_rows = 0;
};
NgramTables ngram_tables(const NgramShape& shape);

/// Table rows of each token, [tokens][heads]. `context` holds the ngram_size − 1 tokens before the first one,
/// oldest first (the end-of-sequence token where a sequence starts). A predecessor at or before the last
/// end-of-sequence token strictly before the current one counts as end-of-sequence; the end-of-sequence token
/// itself still sees its predecessors. n-gram = t₀·m₀ xor t₁·m₁ …, remainder by the head's prime, plus the
/// head's offset; 64-bit, and no product of a legal token overflows. Throws InputError for a token outside
/// [0, vocab_size): placeholders must never be hashed.
std::vector<std::int64_t> ngram_rows(const NgramShape& shape, const NgramTables& tables,
                                     std::int64_t end_of_sequence, std::span<const std::int64_t> context,
                                     std::span<const std::int64_t> tokens);

}  // namespace plumbline
