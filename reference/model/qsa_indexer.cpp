#include "reference/model/qsa_indexer.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "reference/model/block_pool.h"
#include "reference/model/gemma_rmsnorm.h"

#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

void require_size(const char* what, std::size_t found, std::int64_t expected) {
  if (static_cast<std::int64_t>(found) == expected) return;
  throw InputError(fmt::format("indexer {}: expected {} elements, found {}", what, expected, found));
}

}  // namespace

QsaIndexer::QsaIndexer(const IndexerConfig& config, IndexerWeights weights, const RoundingProfile& profile)
    : config_(config), weights_(std::move(weights)), arithmetic_(profile, config.storage) {
  require_size("q_layernorm.weight", weights_.query_norm.size(), config.geometry.index_head_dim);
  require_size("k_layernorm.weight", weights_.key_norm.size(), config.geometry.index_head_dim);
  require_size("frequencies", weights_.frequencies.per_pair.size(), config.rotary_dim / 2);
}

std::vector<Bounded> QsaIndexer::normed_head(const TensorView& projected, std::int64_t token,
                                             std::int64_t head) const {
  std::vector<Bounded> elements(weights_.query_norm.size());
  for (std::size_t d = 0; d < elements.size(); ++d) {
    elements[d] = {decode_element(projected.dtype, projected.at(token, head, d)), 0};
  }
  gemma_rmsnorm<Bounded>(elements, weights_.query_norm, config_.norm_epsilon, arithmetic_, elements);
  return elements;
}

BoundedTensor QsaIndexer::normed_queries(const TensorView& projected) const {
  BoundedTensor normed(config_.storage, projected.shape);
  std::int64_t element = 0;
  for (std::int64_t token = 0; token < projected.extent(0); ++token) {
    for (std::int64_t head = 0; head < projected.extent(1); ++head) {
      for (const Bounded& value : normed_head(projected, token, head)) {
        normed.set(element++, arithmetic_.store(value));
      }
    }
  }
  return normed;
}

BoundedTensor QsaIndexer::queries(const TensorView& projected,
                                  std::span<const Coordinates> coordinates) const {
  require_size("coordinates", coordinates.size(), projected.extent(0));
  BoundedTensor rotated(config_.storage, projected.shape);
  std::int64_t element = 0;
  for (std::int64_t token = 0; token < projected.extent(0); ++token) {
    const Rotation rotation =
        rotation_at(coordinates[static_cast<std::size_t>(token)], weights_.frequencies, arithmetic_);
    for (std::int64_t head = 0; head < projected.extent(1); ++head) {
      std::vector<Bounded> elements = normed_head(projected, token, head);
      rope<Bounded>(elements, rotation, arithmetic_);
      for (const Bounded& value : elements) rotated.set(element++, value);
    }
  }
  return rotated;
}

void QsaIndexer::block_key(const TensorView& raw, const Coordinates& first, std::span<Bounded> out) const {
  block_pool(raw, arithmetic_, out);
  gemma_rmsnorm<Bounded>(out, weights_.key_norm, config_.norm_epsilon, arithmetic_, out);
  rope<Bounded>(out, rotation_at(first, weights_.frequencies, arithmetic_), arithmetic_);
}

}  // namespace plumbline
