#include "reference/model/index_key_cache.h"

#include "fixtures/error.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace plumbline {

IndexKeyCache::IndexKeyCache(const QsaIndexer& indexer)
    : indexer_(&indexer),
      ratio_(indexer.config().geometry.compress_ratio),
      dim_(indexer.config().geometry.index_head_dim),
      state_{Tensor(indexer.config().storage, {0, dim_}), {}, {}} {}

void IndexKeyCache::append(const TensorView& raw, std::span<const Coordinates> coordinates) {
  Tensor& all = state_.raw;
  if (raw.shape.size() != 2 || raw.extent(1) != dim_ || raw.dtype != all.dtype ||
      raw.extent(0) != static_cast<std::int64_t>(coordinates.size())) {
    throw InputError(fmt::format("index keys: expected {} [{}, {}], found {} {}", name_of(all.dtype),
                                 coordinates.size(), dim_, name_of(raw.dtype), to_string(raw.shape)));
  }
  const std::size_t element = size_of(raw.dtype), row_bytes = static_cast<std::size_t>(dim_) * element;
  for (std::int64_t token = 0; token < raw.extent(0); ++token) {
    const std::int64_t member = tokens() % ratio_;
    if (member == 0) state_.firsts.push_back(coordinates[static_cast<std::size_t>(token)]);
    all.bytes.resize(all.bytes.size() + row_bytes);
    std::byte* row = all.bytes.data() + all.bytes.size() - row_bytes;
    for (std::int64_t d = 0; d < dim_; ++d)
      std::memcpy(row + static_cast<std::size_t>(d) * element, raw.at(token, d), element);
    ++all.shape[0];
    if (member + 1 < ratio_) continue;
    TensorView group = all.view();
    group.data = group.at(tokens() - ratio_);
    group.shape[0] = ratio_;
    state_.keys.resize(state_.keys.size() + static_cast<std::size_t>(dim_));
    indexer_->block_key(group, state_.firsts.back(),
                        std::span(state_.keys).last(static_cast<std::size_t>(dim_)));
  }
}

void IndexKeyCache::truncate(std::int64_t tokens) {
  state_.raw.shape[0] = tokens;
  state_.raw.bytes.resize(static_cast<std::size_t>(tokens * dim_) * size_of(state_.raw.dtype));
  state_.firsts.resize(static_cast<std::size_t>((tokens + ratio_ - 1) / ratio_));
  state_.keys.resize(static_cast<std::size_t>(tokens / ratio_ * dim_));
}

void IndexKeyCache::restore(State state) {
  const Tensor& raw = state.raw;
  const bool matrix = raw.dtype == state_.raw.dtype && raw.shape.size() == 2 && raw.extent(1) == dim_;
  const std::int64_t tokens = matrix ? raw.extent(0) : 0;
  if (!matrix || static_cast<std::int64_t>(state.firsts.size()) != (tokens + ratio_ - 1) / ratio_ ||
      static_cast<std::int64_t>(state.keys.size()) != tokens / ratio_ * dim_) {
    throw InputError(
        fmt::format("index keys: expected raw {} [tokens, {}] and a key for every {} of them, found {} {} "
                    "and {} key elements of {} blocks",
                    name_of(state_.raw.dtype), dim_, ratio_, name_of(raw.dtype), to_string(raw.shape),
                    state.keys.size(), state.firsts.size()));
  }
  state_ = std::move(state);
}

BoundedTensor IndexKeyCache::keys() const {
  BoundedTensor keys(state_.raw.dtype, {blocks(), dim_});
  for (std::size_t i = 0; i < state_.keys.size(); ++i) keys.set(static_cast<std::int64_t>(i), state_.keys[i]);
  return keys;
}

}  // namespace plumbline
