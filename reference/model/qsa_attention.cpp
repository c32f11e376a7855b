#include "reference/model/qsa_attention.h"

#include "fixtures/small_float.h"
#include "reference/model/expand_tokens.h"
#include "reference/model/gemma_rmsnorm.h"
#include "reference/model/index_projection.h"
#include "reference/model/linear_layer.h"
#include "reference/model/number.h"
#include "reference/numeric/worth_threads.h"
#include "reference/select/certified_select.h"

#include <algorithm>

namespace plumbline {
namespace {

/// Norms and rotates every head of `projected`, whose heads start `stride` columns apart: [T, heads·dim].
template <typename Number>
Rows<Number> normed_and_rotated(const Rows<Number>& projected, std::int64_t heads, std::int64_t stride,
                                std::int64_t dim, std::span<const double> weight, double epsilon,
                                const std::vector<BasicRotation<Number>>& rotations,
                                const BasicEngineArithmetic<Number>& arithmetic) {
  Rows<Number> out(projected.rows, heads * dim);
#pragma omp parallel for schedule(static) if (worth_threads_elements(projected.rows * projected.width))
  for (std::int64_t t = 0; t < projected.rows; ++t) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const auto to = out.part(t, head * dim, dim);
      gemma_rmsnorm<Number>(projected.part(t, head * stride, dim), weight, epsilon, arithmetic, to);
      rope<Number>(to, rotations[static_cast<std::size_t>(t)], arithmetic);
    }
  }
  return out;
}

template <typename Number>
void append(Rows<Number>& cache, const Rows<Number>& fresh) {
  cache.width = fresh.width;
  cache.rows += fresh.rows;
  cache.numbers.insert(cache.numbers.end(), fresh.numbers.begin(), fresh.numbers.end());
}

/// Values in the storage type; they are numbers of it already unless the profile does not store activations.
template <typename Number>
Tensor in_storage(const Rows<Number>& x, DType storage) {
  Tensor tensor(storage, {x.rows, x.width});
  for (std::size_t i = 0; i < x.numbers.size(); ++i) {
    encode_element(storage, value_of(x.numbers[i]), tensor.bytes.data() + i * size_of(storage));
  }
  return tensor;
}

IndexerWeights indexer_weights(const ModelConfig& config, const QsaWeights& weights,
                               std::span<const float> inverse_frequencies) {
  return {weights.index_query_norm, weights.index_key_norm,
          recorded_frequencies<Bounded>(inverse_frequencies, config.indexer.sections)};
}

}  // namespace

template <typename Number>
void QsaState<Number>::truncate(std::int64_t tokens) {
  for (Rows<Number>* rows : {&keys, &values}) {
    rows->numbers.resize(static_cast<std::size_t>(tokens * rows->width));
    rows->rows = tokens;
  }
  coordinates.resize(static_cast<std::size_t>(tokens));
  if (index) index->truncate(tokens);
}
template struct QsaState<Bounded>;
template struct QsaState<double>;

QsaLayer::QsaLayer(const ModelConfig& config, const QsaWeights& weights,
                   std::span<const float> inverse_frequencies, const RoundingProfile& profile)
    : config_(&config),
      weights_(&weights),
      inverse_frequencies_(inverse_frequencies.begin(), inverse_frequencies.end()),
      indexer_(config.indexer, indexer_weights(config, weights, inverse_frequencies), profile) {}

std::vector<std::vector<std::int32_t>> QsaLayer::selections(const Tensor& projected,
                                                            std::span<const Coordinates> coordinates,
                                                            std::int64_t earlier, IndexKeyCache& index,
                                                            const Choice& choice, const Watch& watch) const {
  const SelectGeometry& geometry = config_->indexer.geometry;
  index.append(raw_key_part(projected.view(), geometry.index_heads, geometry.index_head_dim), coordinates);
  const BoundedTensor queries = indexer_.queries(
      query_part(projected.view(), geometry.index_heads, geometry.index_head_dim), coordinates);
  const BoundedTensor keys = index.keys();
  const auto tokens = static_cast<std::int64_t>(coordinates.size());
  Tensor visible(DType::int32, {tokens});
  for (std::int64_t t = 0; t < tokens; ++t) {
    visible.as<std::int32_t>()[static_cast<std::size_t>(t)] =
        static_cast<std::int32_t>((earlier + t + 1) / geometry.compress_ratio);
  }
  SelectInputs inputs{geometry,           tokens,       index.blocks(), queries.tensor.view(),
                      keys.tensor.view(), std::nullopt, visible.view()};
  if (watch) watch(inputs);
  std::vector<std::vector<std::int32_t>> selected(static_cast<std::size_t>(tokens));
  std::int64_t ranked = 0;
  const CertifiedSelector selector(inputs);
  selector.rows([&](std::int64_t row, const std::optional<CertifiedRow>& certified) {
    std::vector<std::int32_t>& blocks = selected[static_cast<std::size_t>(row)];
    if (certified) blocks = certified->blocks;
    if (choice && visible.as<std::int32_t>()[static_cast<std::size_t>(row)] > 0) {
      blocks = choice(ranked++, blocks, [&](std::int32_t a, std::int32_t b) {
        return certified && selector.score(row, a) == selector.score(row, b);
      });
    }
    std::sort(blocks.begin(), blocks.end());
  });
  return selected;
}

template <typename Number>
Rows<Number> QsaLayer::forward(const Rows<Number>& x, std::span<const Coordinates> coordinates,
                               const BasicEngineArithmetic<Number>& arithmetic, QsaState<Number>& state,
                               const Choice& choice, const Watch& watch) const {
  const AttentionGeometry& geometry = config_->attention;
  const SelectGeometry& select = config_->indexer.geometry;
  const double epsilon = config_->indexer.norm_epsilon;
  const std::int64_t dim = geometry.head_dim, earlier = static_cast<std::int64_t>(state.coordinates.size());
  const auto frequencies = recorded_frequencies<Number>(inverse_frequencies_, config_->indexer.sections);
  std::vector<BasicRotation<Number>> rotations;
  for (const Coordinates& place : coordinates)
    rotations.push_back(rotation_at(place, frequencies, arithmetic));

  const Rows<Number> query_and_gate = linear_layer(x, weights_->query_and_gate, arithmetic);
  const Rows<Number> queries = normed_and_rotated<Number>(
      query_and_gate, geometry.heads, 2 * dim, dim, weights_->query_norm, epsilon, rotations, arithmetic);
  append(state.keys,
         normed_and_rotated<Number>(linear_layer(x, weights_->key, arithmetic), geometry.key_value_heads, dim,
                                    dim, weights_->key_norm, epsilon, rotations, arithmetic));
  append(state.values, linear_layer(x, weights_->value, arithmetic));
  if (!state.index) state.index.emplace(indexer_);
  const Tensor projected = in_storage(linear_layer(x, weights_->index, arithmetic), config_->indexer.storage);
  const auto selected = selections(projected, coordinates, earlier, *state.index, choice, watch);
  state.coordinates.insert(state.coordinates.end(), coordinates.begin(), coordinates.end());

  Rows<Number> attended(x.rows, geometry.heads * dim);
  const std::int64_t products =
      x.rows * std::min(earlier + x.rows, select.token_width()) * geometry.heads * dim;
#pragma omp parallel for schedule(dynamic) if (worth_threads_products(products))
  for (std::int64_t t = 0; t < x.rows; ++t) {
    std::vector<std::int32_t> blocks = selected[static_cast<std::size_t>(t)];
    blocks.resize(static_cast<std::size_t>(select.block_topk), -1);
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(select.token_width()));
    expand_tokens(blocks, earlier + t, earlier + t + 1, select.compress_ratio, tokens);
    tokens.erase(std::remove(tokens.begin(), tokens.end(), -1), tokens.end());
    sparse_attention<Number>(queries.row(t), state.keys, state.values, tokens, geometry, arithmetic,
                             attended.row(t));
    std::vector<Number> gate;
    for (std::int64_t head = 0; head < geometry.heads; ++head) {
      const auto part = query_and_gate.part(t, (2 * head + 1) * dim, dim);
      gate.insert(gate.end(), part.begin(), part.end());
    }
    apply_output_gate<Number>(gate, arithmetic, attended.row(t));
  }
  return linear_layer(attended, weights_->out, arithmetic);
}

template Rows<Bounded> QsaLayer::forward(const Rows<Bounded>&, std::span<const Coordinates>,
                                         const BasicEngineArithmetic<Bounded>&, QsaState<Bounded>&,
                                         const Choice&, const Watch&) const;
template Rows<double> QsaLayer::forward(const Rows<double>&, std::span<const Coordinates>,
                                        const BasicEngineArithmetic<double>&, QsaState<double>&,
                                        const Choice&, const Watch&) const;

}  // namespace plumbline
