#pragma once

#include "fixtures/tensor.h"
#include "reference/model/qsa_indexer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// The raw and the compressed index keys of one request in one layer, over any split of its tokens into
/// calls. Only visible tokens enter, so the block grid counts visible tokens: left padding shifts it. Blocks
/// are groups of consecutive tokens in order of arrival, whatever their coordinates.
class IndexKeyCache {
 public:
  explicit IndexKeyCache(const QsaIndexer& indexer);

  /// Adds the raw keys [tokens, dim] of visible tokens; a block's key is made when its last member arrives.
  void append(const TensorView& raw, std::span<const Coordinates> coordinates);

  /// Keeps the first `tokens` tokens.
  void truncate(std::int64_t tokens);

  std::int64_t tokens() const { return state_.raw.extent(0); }
  std::int64_t blocks() const { return static_cast<std::int64_t>(state_.keys.size()) / dim_; }
  /// The keys of all complete blocks, [blocks, dim].
  BoundedTensor keys() const;

  struct State {
    Tensor raw;                       ///< [tokens, dim], neither normed nor rotated
    std::vector<Coordinates> firsts;  ///< of each block's first member, also of the open one
    std::vector<Bounded> keys;        ///< [complete blocks, dim]
  };
  const State& state() const { return state_; }
  /// Throws InputError when the parts are not those of one number of tokens.
  void restore(State state);

 private:
  const QsaIndexer* indexer_;
  std::int64_t ratio_, dim_;
  State state_;
};

}  // namespace plumbline
