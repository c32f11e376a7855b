#pragma once

#include "fixtures/tensor.h"
#include "reference/model/qsa_indexer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// The index keys of one request in one layer, over any split of its tokens into calls. Only visible tokens
/// enter, so the block grid counts visible tokens: left padding shifts it. Blocks are groups of consecutive
/// tokens in order of arrival, whatever their coordinates.
class IndexKeyCache {
 public:
  explicit IndexKeyCache(const QsaIndexer& indexer);

  /// Adds the raw keys [tokens, dim] of visible tokens; a block's key is made when its last member arrives.
  void append(const TensorView& raw, std::span<const Coordinates> coordinates);

  std::int64_t tokens() const { return tokens_; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(keys_.size()) / dim_; }
  /// The keys of all complete blocks, [blocks, dim].
  BoundedTensor keys() const;

 private:
  const QsaIndexer* indexer_;
  std::int64_t ratio_, dim_, tokens_ = 0;
  Tensor open_group_;  ///< [ratio, dim] raw keys; the first tokens mod ratio are filled
  Coordinates first_of_group_;
  std::vector<Bounded> keys_;
};

}  // namespace plumbline
