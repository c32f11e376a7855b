#include "reference/model/index_key_cache.h"

#include "fixtures/error.h"

#include <cstring>

#include <fmt/format.h>

namespace plumbline {

IndexKeyCache::IndexKeyCache(const QsaIndexer& indexer)
    : indexer_(&indexer),
      ratio_(indexer.config().geometry.compress_ratio),
      dim_(indexer.config().geometry.index_head_dim),
      open_group_(indexer.config().storage, {ratio_, dim_}) {}

void IndexKeyCache::append(const TensorView& raw, std::span<const Coordinates> coordinates) {
  if (raw.shape.size() != 2 || raw.extent(1) != dim_ || raw.dtype != open_group_.dtype ||
      raw.extent(0) != static_cast<std::int64_t>(coordinates.size())) {
    throw InputError(fmt::format("index keys: expected {} [{}, {}], found {} {}", name_of(open_group_.dtype),
                                 coordinates.size(), dim_, name_of(raw.dtype), to_string(raw.shape)));
  }
  const std::size_t element = size_of(raw.dtype);
  for (std::int64_t token = 0; token < raw.extent(0); ++token, ++tokens_) {
    const std::int64_t member = tokens_ % ratio_;
    if (member == 0) first_of_group_ = coordinates[static_cast<std::size_t>(token)];
    std::byte* row = open_group_.bytes.data() + static_cast<std::size_t>(member * dim_) * element;
    for (std::int64_t d = 0; d < dim_; ++d) {
      std::memcpy(row + static_cast<std::size_t>(d) * element, raw.at(token, d), element);
    }
    if (member + 1 < ratio_) continue;
    keys_.resize(keys_.size() + static_cast<std::size_t>(dim_));
    indexer_->block_key(open_group_.view(), first_of_group_,
                        std::span(keys_).last(static_cast<std::size_t>(dim_)));
  }
}

BoundedTensor IndexKeyCache::keys() const {
  BoundedTensor keys(open_group_.dtype, {blocks(), dim_});
  for (std::size_t i = 0; i < keys_.size(); ++i) keys.set(static_cast<std::int64_t>(i), keys_[i]);
  return keys;
}

}  // namespace plumbline
